import { beforeAll, describe, expect, test } from 'vitest';
import {
  createLeadEndpoint,
  deleteLeadEndpoint,
  getLeadEndpoint,
  listLeadActivitiesEndpoint,
  listLeadsEndpoint,
} from '../../shared/contract/leads.ts';
import { refusedPages } from '../support/pages.ts';
import { setup, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

describe('a lead', () => {
  test('is created with the given fields, and defaults for the rest', async () => {
    const { lead } = await world.ours.api.call(createLeadEndpoint, {
      body: { name: 'Ann Lee Smith', email: 'Ann@Example.com', phone: '0412 345 678', socials: { x: 'ann' } },
    });
    expect(lead).toEqual({
      id: lead.id,
      firstName: 'Ann',
      lastName: 'Lee Smith',
      email: 'Ann@Example.com',
      phone: '+61412345678',
      suburb: '',
      businessName: '',
      socials: { x: 'ann' },
      status: 'pending',
      createdAt: lead.createdAt,
      updatedAt: lead.createdAt,
      read: false,
      lastInquiryId: null,
      lastInquiryDate: null,
      unreadEmails: 0,
      unreadCalls: 0,
      unreadChatbotThreads: 0,
      unreadSMS: 0,
      unreadWebformSubmissions: 0,
      hasFlaggedInquiry: false,
      isOptedOut: false,
    });
    expect(Math.abs(Date.parse(lead.createdAt) - Date.now())).toBeLessThan(60_000);
  });

  test('is created, listed, read and deleted; then it and its activities are gone', async () => {
    const { api } = world.ours;
    const { totalCount: before } = await api.call(listLeadsEndpoint);
    const { lead } = await api.call(createLeadEndpoint, { body: { firstName: 'Bo', status: 'won' } });
    const params = { leadId: lead.id };

    const list = await api.call(listLeadsEndpoint);
    expect(list.leads[0]).toEqual(lead);
    expect(list.totalCount).toBe(before + 1);
    expect((await api.call(getLeadEndpoint, { params })).lead).toEqual(lead);

    expect(await api.call(deleteLeadEndpoint, { params })).toEqual({ message: 'Lead deleted successfully' });

    expect((await api.call(listLeadsEndpoint)).totalCount).toBe(before);
    await api.failure(getLeadEndpoint, 404, { params });
    await api.failure(deleteLeadEndpoint, 404, { params });
    await api.failure(listLeadActivitiesEndpoint, 404, { params });
  });

  test('can be sent back as it was read: its read-only fields are ignored', async () => {
    const { api } = world.ours;
    const { lead } = await api.call(createLeadEndpoint, { body: { firstName: 'Cy', suburb: 'Manly' } });
    const { lead: copy } = await api.call(createLeadEndpoint, { body: lead });
    expect(copy).toEqual({
      ...lead,
      id: copy.id,
      createdAt: copy.createdAt,
      updatedAt: copy.updatedAt,
    });
    expect(copy.id).not.toBe(lead.id);
  });

  test('takes first and last name as given before the halves of its name', async () => {
    const { lead } = await world.ours.api.call(createLeadEndpoint, {
      body: { name: 'Di Von Stein', lastName: 'Stone' },
    });
    expect(lead).toMatchObject({ firstName: 'Di', lastName: 'Stone' });
  });

  test.each([
    [{ name: '', firstName: 'Ann' }, 'Ann', ''],
    [{ name: 'Ann Lee', firstName: '', lastName: ' ' }, 'Ann', 'Lee'],
    [{ name: 'Ann', firstName: '', lastName: 'Lee' }, 'Ann', 'Lee'],
    [{ name: `${'x'.repeat(100)} ${'y'.repeat(100)}` }, 'x'.repeat(100), 'y'.repeat(100)],
  ])('takes an empty text as not given: %j', async (body, firstName, lastName) => {
    const { lead } = await world.ours.api.call(createLeadEndpoint, { body });
    expect(lead).toMatchObject({ firstName, lastName });
    await world.ours.api.call(createLeadEndpoint, { body: lead });
  });

  test("may have any email address that a browser's form would take", async () => {
    await world.ours.api.call(createLeadEndpoint, {
      body: { name: 'Bo', email: "bo.o'brien+x@mail.example.co.uk" },
    });
  });

  test('is never shown to another organization, nor changed by it', async () => {
    const { ours, theirs } = await setup();
    const body = { firstName: 'Ed', email: 'ed@example.com' };
    // Both organizations have a lead with this number and this email.
    const { lead } = await ours.api.call(createLeadEndpoint, { body });
    const { lead: other } = await theirs.api.call(createLeadEndpoint, { body });
    expect(lead.id.slice(-8)).toBe(other.id.slice(-8));

    const never = { leadId: other.id.replace(/.$/, 'Z') };
    for (const endpoint of [getLeadEndpoint, deleteLeadEndpoint, listLeadActivitiesEndpoint]) {
      const error = await theirs.api.failure(endpoint, 404, { params: { leadId: lead.id } });
      expect(error).toEqual(await theirs.api.failure(endpoint, 404, { params: never }));
    }
    for (const [{ api }, own] of [
      [ours, lead],
      [theirs, other],
    ] as const) {
      const { leads, totalCount } = await api.call(listLeadsEndpoint);
      expect({ leads, totalCount }).toEqual({ leads: [own], totalCount: 1 });
    }
  });
});

describe('a second lead with the same email or phone number', () => {
  test('is refused, in any case, and named', async () => {
    const { api } = world.ours;
    const { lead } = await api.call(createLeadEndpoint, {
      body: { firstName: 'Flo', email: 'flo@example.com', phone: '+61 491 570 156' },
    });
    const { totalCount } = await api.call(listLeadsEndpoint);

    const email = await api.failure(createLeadEndpoint, 409, {
      body: { firstName: 'Flo', email: 'FLO@example.COM' },
    });
    const taken = (field: string) => ({
      status: 409,
      message: `Another lead has this ${field}`,
      details: [{ field, message: 'is taken' }],
      existingId: lead.id,
    });
    expect(email).toEqual(taken('email'));
    const phone = await api.failure(createLeadEndpoint, 409, {
      body: { firstName: 'Flo', phone: '(0491) 570-156' },
    });
    expect(phone).toEqual(taken('phone'));

    expect((await api.call(listLeadsEndpoint)).totalCount).toBe(totalCount);
  });

  test('is created once the first is deleted', async () => {
    const { api } = world.ours;
    const body = { firstName: 'Gus', email: 'gus@example.com', phone: '0491 570 157' };
    const { lead } = await api.call(createLeadEndpoint, { body });
    await api.call(deleteLeadEndpoint, { params: { leadId: lead.id } });
    await api.call(createLeadEndpoint, { body });
  });

  test('is created if it has neither', async () => {
    const { api } = world.ours;
    await api.call(createLeadEndpoint, { body: { firstName: 'Hal', email: '', phone: '' } });
    await api.call(createLeadEndpoint, { body: { firstName: 'Hal', email: '', phone: '' } });
  });
});

describe('the list of leads', () => {
  test('has pages, newest first, with exact totals, through deletes', async () => {
    const { ours } = await setup();
    const ids: string[] = [];
    for (let number = 1; number <= 7; number++) {
      const { lead } = await ours.api.call(createLeadEndpoint, { body: { firstName: `Lead ${number}` } });
      ids.unshift(lead.id);
    }
    const idsOf = async (page: number, limit: number) => {
      const { leads, ...envelope } = await ours.api.call(listLeadsEndpoint, { query: { page, limit } });
      return { ids: leads.map(({ id }) => id), ...envelope };
    };
    expect(await idsOf(1, 3)).toEqual({ ids: ids.slice(0, 3), totalPages: 3, currentPage: 1, totalCount: 7 });
    expect(await idsOf(3, 3)).toEqual({ ids: ids.slice(6), totalPages: 3, currentPage: 3, totalCount: 7 });
    expect(await idsOf(4, 3)).toEqual({ ids: [], totalPages: 3, currentPage: 4, totalCount: 7 });

    for (const leadId of [ids[0]!, ids[3]!, ids[6]!])
      await ours.api.call(deleteLeadEndpoint, { params: { leadId } });
    const left = [ids[1]!, ids[2]!, ids[4]!, ids[5]!];
    expect(await idsOf(1, 3)).toEqual({
      ids: left.slice(0, 3),
      totalPages: 2,
      currentPage: 1,
      totalCount: 4,
    });
    expect(await idsOf(2, 3)).toEqual({ ids: left.slice(3), totalPages: 2, currentPage: 2, totalCount: 4 });
    expect(await idsOf(Number.MAX_SAFE_INTEGER, 100)).toMatchObject({ ids: [], totalCount: 4 });
  });

  test('is empty, with no pages, before the first lead', async () => {
    const { ours } = await setup();
    const answer = await ours.api.answer(listLeadsEndpoint);
    expect(answer.body).toEqual({ leads: [], totalPages: 0, currentPage: 1, totalCount: 0 });
    expect(answer.cost.calls).toBe(2);
  });

  test.each(refusedPages)('refuses %s=%s', async (name, value, message) => {
    const error = await world.ours.api.failure(listLeadsEndpoint, 400, { query: { [name]: value } });
    expect(error.details).toEqual([{ field: name, message }]);
    expect(error.message).toBe(`${name} ${message}`);
  });

  test('takes the largest page size', async () => {
    await world.ours.api.call(listLeadsEndpoint, { query: { limit: 100, page: 1 } });
  });
});

describe("a lead's activities", () => {
  test('begin with its creation, by the user of the token', async () => {
    const { api, userId } = world.ours;
    const { lead } = await api.call(createLeadEndpoint, { body: { firstName: 'Ida' } });
    const params = { leadId: lead.id };
    const { activities, ...envelope } = await api.call(listLeadActivitiesEndpoint, { params });
    expect(activities).toEqual([
      {
        id: activities[0]?.id,
        event: 'LEAD_CREATED',
        data: 'The lead was created',
        referenceId: lead.id,
        userId,
        leadId: lead.id,
        createdAt: lead.createdAt,
      },
    ]);
    expect(envelope).toEqual({ totalPages: 1, currentPage: 1, totalCount: 1 });
    expect(await api.call(listLeadActivitiesEndpoint, { params, query: { page: 2 } })).toMatchObject({
      activities: [],
    });
  });

  test('refuse a page size out of range, and an impossible id', async () => {
    const { api } = world.ours;
    const { lead } = await api.call(createLeadEndpoint, { body: { firstName: 'Jo' } });
    await api.failure(listLeadActivitiesEndpoint, 400, {
      params: { leadId: lead.id },
      query: { limit: 101 },
    });
    for (const leadId of [
      'nonsense',
      'lead_',
      `${lead.id}0`,
      lead.id.toLowerCase(),
      `user_${lead.id.slice(5)}`,
    ]) {
      expect(await api.failure(listLeadActivitiesEndpoint, 404, { params: { leadId } })).toEqual({
        status: 404,
        message: 'There is no such lead',
      });
    }
  });
});
