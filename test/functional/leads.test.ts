import { describe, expect, test } from 'vitest';
import { noAddress } from '../../shared/contract/address.ts';
import { pageOfAll } from '../support/page-of-all.ts';
import { verifiedOrganization } from '../support/test-organization.ts';
import { expectMadeSince } from '../support/expect-made-since.ts';

const ours = await verifiedOrganization();
const { api } = ours;
const create = async (body: object, { api } = ours) => (await api.call('createLead', { body })).lead;
const remove = (leadId: string) => api.call('deleteLead', { params: { leadId } });
const list = (query: { page?: number; limit?: number } = {}) => api.call('listLeads', { query });

test('the list of leads has pages, newest first, with exact totals, through deletes', async () => {
  let all: object[] = [];
  for (let at = 1; at <= 7; at++) all.unshift(await create({ firstName: `Lead ${at}` }));
  const expectListed = async (...pages: { page: number; limit: number }[]) => {
    for (const page of pages) expect(await list(page)).toEqual(pageOfAll('leads', all, page));
  };
  await expectListed(...[1, 3, 4].map((page) => ({ page, limit: 3 })));
  for (const at of [0, 3, 6]) await remove((all[at] as { id: string }).id);
  all = all.filter((_, at) => at % 3 !== 0);
  await expectListed({ page: 1, limit: 3 }, { page: 2, limit: 3 });
  await expectListed({ page: Number.MAX_SAFE_INTEGER, limit: 100 }, { page: 1, limit: 100 });
});

describe('a lead', () => {
  test('is created with the given fields, and defaults for the rest', async () => {
    const given = { email: 'Ann@Example.com', socials: { x: 'ann' } };
    const began = Date.now();
    const lead = await create({ name: 'Ann Lee Smith', phone: '0412 345 678', ...given });
    expect(lead).toEqual({
      id: lead.id,
      firstName: 'Ann',
      lastName: 'Lee Smith',
      ...given,
      phone: '+61412345678',
      suburb: '',
      address: noAddress,
      businessName: '',
      externalId: '',
      status: 'pending',
      read: false,
      isOptedOut: false,
      lastInquiryId: null,
      lastInquiryDate: null,
      hasFlaggedInquiry: false,
      unreadEmails: 0,
      unreadCalls: 0,
      unreadChatbotThreads: 0,
      unreadSMS: 0,
      unreadWebformSubmissions: 0,
      createdAt: lead.createdAt,
      updatedAt: lead.createdAt,
    });
    expectMadeSince(began, lead.createdAt);
  });

  test('is created, listed, read and deleted; then it and its activities are gone', async () => {
    const { totalCount: before } = await list();
    const lead = await create({ firstName: 'Bo', status: 'won' });
    const params = { leadId: lead.id };
    const { leads, totalCount } = await list();
    expect([leads[0], totalCount]).toEqual([lead, before + 1]);
    expect((await api.call('getLead', { params })).lead).toEqual(lead);
    expect(await remove(lead.id)).toEqual({ message: 'Lead deleted successfully' });
    expect((await list()).totalCount).toBe(before);
    for (const operation of ['getLead', 'deleteLead', 'listLeadActivities'] as const)
      await api.lacks(operation, { params }, 'lead');
  });

  test('can be sent back as it was read: its read-only fields are ignored', async () => {
    const lead = await create({ firstName: 'Cy', suburb: 'Manly' });
    const { id, createdAt, updatedAt, ...copy } = await create(lead);
    expect({ ...lead, id, createdAt, updatedAt }).toEqual({ ...copy, id, createdAt, updatedAt });
    expect(id).not.toBe(lead.id);
  });

  test.each([
    [{ name: 'Di Von Stein', lastName: 'Stone' }, 'Di', 'Stone'],
    // An empty text counts as not given.
    [{ name: '', firstName: 'Ann' }, 'Ann', ''],
    [{ name: 'Ann Lee', firstName: '', lastName: ' ' }, 'Ann', 'Lee'],
    [{ name: `${'x'.repeat(100)} ${'y'.repeat(100)}` }, 'x'.repeat(100), 'y'.repeat(100)],
  ])('takes the names of %j', async (body, firstName, lastName) => {
    const lead = await create(body);
    expect(lead).toMatchObject({ firstName, lastName });
    await create(lead);
  });

  test('with the email, the phone number or the id of another is refused and named', async () => {
    const first = {
      firstName: 'Flo',
      email: 'flo@example.com',
      phone: '+61 491 570 156',
      externalId: 'CRM-7',
    };
    const { id: existingId } = await create(first);
    const { totalCount } = await list();
    for (const [field, text] of [
      ['email', 'FLO@example.COM'],
      ['phone', '(0491) 570-156'],
      ['externalId', ' CRM-7'],
    ] as const) {
      const body = { firstName: 'Flo', [field]: text };
      const details = [{ field, message: 'is taken' }];
      const expected = { status: 409, message: `Another lead has this ${field}`, details, existingId };
      expect(await api.failure('createLead', 409, { body })).toEqual(expected);
    }
    expect((await list()).totalCount).toBe(totalCount);
    await remove(existingId);
    await create(first);
    // The id of another system is compared exactly.
    await create({ firstName: 'Gil', externalId: 'crm-7' });
    for (let times = 0; times < 2; times++)
      await create({ firstName: 'Hal', email: '', phone: '', externalId: '' });
  });

  test('has its creation as its first activity, by the user of the token', async () => {
    const lead = await create({ firstName: 'Ida' });
    const params = { leadId: lead.id };
    const page = await api.call('listLeadActivities', { params });
    const activity = {
      id: page.activities[0]!.id,
      event: 'LEAD_CREATED',
      data: 'The lead was created',
      referenceId: lead.id,
      userId: ours.userId,
      leadId: lead.id,
      createdAt: lead.createdAt,
    };
    expect(page).toEqual(pageOfAll('activities', [activity]));
    const second = await api.call('listLeadActivities', { params, query: { page: 2 } });
    expect(second).toEqual(pageOfAll('activities', [activity], { page: 2 }));
  });
});
