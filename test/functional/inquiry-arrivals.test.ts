import { beforeAll, describe, expect, test } from 'vitest';
import { createInquiryEndpoint, getInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import {
  createLeadEndpoint,
  deleteLeadEndpoint,
  getLeadEndpoint,
  listLeadActivitiesEndpoint,
  listLeadsEndpoint,
} from '../../shared/contract/leads.ts';
import { events } from '../../shared/ledger/internal/collection.ts';
import { postInquiry, newEmail, newLead, newNumber } from '../support/inquiries.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';

let world: World;
let ours: TestOrganization;
beforeAll(async () => {
  world = await setup();
  ({ ours } = world);
});

const arrive = (body: object, { api } = ours) => postInquiry(api, body);

const activitiesOf = async (leadId: string) =>
  (await ours.api.call(listLeadActivitiesEndpoint, { params: { leadId } })).activities.map(
    ({ data }) => data,
  );

interface Contacts {
  email?: string;
  phone?: string;
}

/** Number of events of the organization. */
const eventCount = async () =>
  (await ours.openLedger().ledger.page(events, { page: 1, limit: 1 })).totalCount;

describe('the lead of an inquiry', () => {
  test('is the one with the given id', async () => {
    const lead = await newLead(ours);
    const { inquiry, lead: after } = await arrive({
      leadId: lead.id,
      isRead: true,
      tag: ' Quote ',
      summary: 'A\nB',
    });
    expect(inquiry).toMatchObject({ leadId: lead.id, isRead: true, tag: 'Quote', summary: 'A\nB' });
    expect(after).toMatchObject({ id: lead.id, unreadCalls: 0, lastInquiryId: inquiry.id });
    const { inquiry: second } = await arrive({ leadId: lead.id });
    expect(second.isFirstInquiry).toBe(false);
  });

  test('with an unknown id is a 404, and nothing is stored', async () => {
    const before = await eventCount();
    const { theirs } = world;
    const gone = await newLead(ours);
    await ours.api.call(deleteLeadEndpoint, { params: { leadId: gone.id } });
    for (const leadId of ['', 'nonsense', gone.id, (await newLead(theirs)).id]) {
      const body = { source: 'SMS', data: {}, leadId, externalInquiryId: 'never' };
      expect(await ours.api.failure(createInquiryEndpoint, 404, { body })).toMatchObject({
        message: 'There is no such lead',
      });
    }
    expect(await eventCount()).toBe(before + 2);
  });

  test('is created if no lead has the email or phone number', async () => {
    const email = newEmail();
    const given = { suburb: 'Manly', businessName: 'Lee & Co', socials: { x: '@lee' }, status: 'active' };
    const { lead } = await arrive({ lead: { name: 'Ann Lee', email, phone: '0491 570 156', ...given } });
    expect(lead).toMatchObject({ firstName: 'Ann', lastName: 'Lee', email, phone: '+61491570156', ...given });
    expect(lead).toMatchObject({ unreadCalls: 1, createdAt: lead!.updatedAt });
    expect(await activitiesOf(lead!.id)).toEqual(['There was a call', 'The lead was created']);
  });

  test.each([
    ['an email', { email: 'only@example.com' }, { email: 'only@example.com', phone: '' }],
    ['a phone number', { phone: '+61 491 570 157' }, { email: '', phone: '+61491570157' }],
    ['a last name', { lastName: 'Lee' }, { lastName: 'Lee', phone: '' }],
  ])('needs no name if there is %s', async (_, lead, expected) => {
    expect((await arrive({ lead })).lead).toMatchObject({ firstName: '', ...expected });
  });

  test.each([
    'anonymous',
    'Restricted',
    '+',
    '12',
    '+61 491 570 156 ext. 5',
    `sip:${'x'.repeat(150)}@example.com`,
  ])('gets no phone number that is %s; the inquiry keeps it', async (phone) => {
    for (const lead of [{ phone }, { phone, name: 'Ann' }]) {
      const { inquiry, lead: made } = await arrive({ lead });
      expect(inquiry).toMatchObject({ givenPhone: phone, isFirstInquiry: true });
      expect(made).toMatchObject({ phone: '', unreadCalls: 1 });
    }
  });

  test('is found by its email, in any case, and gets its empty fields filled, but no status', async () => {
    const email = newEmail();
    const { lead: before } = await ours.api.call(createLeadEndpoint, {
      body: { firstName: 'Ann', email, socials: { x: '@ann' }, suburb: 'Manly', status: 'won' },
    });
    const phone = newNumber();
    const given = {
      name: 'ann Lee',
      suburb: 'Bondi',
      businessName: 'Lee & Co',
      socials: { x: '@bo', web: 'lee.example' },
    };
    const { inquiry, lead } = await arrive({
      lead: { ...given, email: email.toUpperCase(), phone, status: 'lost' },
    });
    expect(lead).toEqual({
      ...before,
      lastName: 'Lee',
      phone,
      businessName: 'Lee & Co',
      socials: { x: '@ann', web: 'lee.example' },
      updatedAt: inquiry.createdAt,
      lastInquiryId: inquiry.id,
      lastInquiryDate: inquiry.createdAt,
      unreadCalls: 1,
    });
    expect(inquiry.givenPhone).toBe('');
    expect(await activitiesOf(before.id)).toEqual([
      'There was a call',
      'The lead was changed',
      'The lead was created',
    ]);
    const { leads } = await ours.api.call(listLeadsEndpoint, { query: { phone } });
    expect(leads).toEqual([lead]);
    // The lead lacks none of these fields any more.
    await arrive({ lead: { ...given, email } });
    expect((await activitiesOf(before.id)).slice(0, 2)).toEqual(['There was a call', 'There was a call']);
  });

  test.each([
    // The lead has a first name only.
    [{ firstName: 'Grace' }, { name: 'Tom Baker' }, ['Grace', '']],
    [{ firstName: 'Grace' }, { lastName: 'Baker' }, ['Grace', '']],
    [{ firstName: 'Grace' }, { name: 'GRACE Baker' }, ['Grace', 'Baker']],
    [{ firstName: 'José' }, { firstName: 'JOSE\u0301', lastName: 'Baker' }, ['José', 'Baker']],
    // The lead has a last name only.
    [{ lastName: 'Baker' }, { name: 'Tom Cook' }, ['', 'Baker']],
    [{ lastName: 'Baker' }, { name: 'Tom' }, ['', 'Baker']],
    [{ lastName: 'Baker' }, { name: 'Tom baker' }, ['Tom', 'Baker']],
    // The lead has no name.
    [{}, { firstName: '', name: 'Ann Lee' }, ['Ann', 'Lee']],
    [{}, { lastName: 'Lee' }, ['', 'Lee']],
  ])("with the names %j takes from %j only a half of the same person's name", async (known, given, names) => {
    const phone = newNumber();
    await arrive({ lead: { ...known, phone } });
    const { lead } = await arrive({ lead: { ...given, phone } });
    expect([lead!.firstName, lead!.lastName]).toEqual(names);
  });

  test('is found by its phone number, however it is written, and gets an email that is free', async () => {
    const email = newEmail();
    const { lead: before } = await ours.api.call(createLeadEndpoint, {
      body: { name: 'Cy', phone: '0491 572 665' },
    });
    for (const phone of ['+61491572665', '0491572665', '0011 61 491 572 665']) {
      const { lead, inquiry } = await arrive({ lead: { phone, email } });
      expect(lead).toMatchObject({ id: before.id, email, phone: '+61491572665' });
      expect(inquiry.givenPhone).toBe('');
    }
  });

  test('is the one with the email, even if another has the phone number', async () => {
    const [email, phone] = [newEmail(), newNumber()];
    const { lead: byEmail } = await ours.api.call(createLeadEndpoint, { body: { name: 'Dee', email } });
    const { lead: byPhone } = await ours.api.call(createLeadEndpoint, { body: { name: 'Eve', phone } });
    const { inquiry, lead } = await arrive({ lead: { email, phone, suburb: 'Manly' } });
    expect(lead).toMatchObject({ id: byEmail.id, phone: '', suburb: 'Manly' });
    expect(inquiry.givenPhone).toBe(phone);
    const params = { leadId: byPhone.id };
    expect((await ours.api.call(getLeadEndpoint, { params })).lead).toEqual(byPhone);
  });

  test('that has another phone number keeps it, and the inquiry the given one', async () => {
    const [email, phone, other] = [newEmail(), newNumber(), newNumber()];
    await ours.api.call(createLeadEndpoint, { body: { name: 'Flo', email, phone } });
    const { inquiry, lead } = await arrive({ lead: { email, phone: other } });
    expect([lead!.phone, inquiry.givenPhone]).toEqual([phone, other]);
    const { inquiry: third } = await arrive({ lead: { email: newEmail(), phone } });
    expect([third.leadId, third.givenEmail, third.givenPhone]).toEqual([
      inquiry.leadId,
      expect.stringMatching(/@/),
      '',
    ]);
    expect((await ours.api.call(listLeadsEndpoint, { query: { phone: other } })).totalCount).toBe(0);
  });

  test.each([
    ['inquiries:create', false],
    ['inquiries:write', false],
    ['leads:create', false],
    ['leads:write', true],
    ['write', true],
  ] as const)(
    'gets an email and a phone number by a token that may change leads: %s',
    async (scope, isFilled) => {
      const api = await ours.apiFor(...new Set(['inquiries:create', scope] as const));
      const send = (lead: object) =>
        api.answer(createInquiryEndpoint, { body: { source: 'CALL', data: {}, lead } });
      const [email, phone, suburb] = [newEmail(), newNumber(), 'Manly'];
      for (const [known, lacking] of [
        [{ email }, { phone: newNumber() }],
        [{ phone }, { email: newEmail() }],
      ]) {
        const { lead } = await ours.api.call(createLeadEndpoint, { body: { name: 'Ann', ...known } });
        expect(await send({ ...known, ...lacking, suburb })).toMatchObject({ status: 201 });
        const { lead: after } = await ours.api.call(getLeadEndpoint, { params: { leadId: lead.id } });
        const { email: hasEmail, phone: hasPhone } = { ...lead, ...(isFilled && lacking) };
        expect(after).toMatchObject({ email: hasEmail, phone: hasPhone, suburb });
        const { email: givenEmail = '', phone: givenPhone = '' } = isFilled ? {} : (lacking as Contacts);
        const params = { inquiryId: after.lastInquiryId! };
        expect(await ours.api.call(getInquiryEndpoint, { params })).toMatchObject({ givenEmail, givenPhone });
      }
    },
  );

  test('gets at most 20 profiles in all', async () => {
    const email = newEmail();
    const profiles = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`p${from + at}`, 'x']));
    await arrive({ lead: { email, socials: profiles(0, 15) } });
    const { lead } = await arrive({ lead: { email, socials: profiles(10, 30) } });
    expect(lead!.socials).toEqual(profiles(0, 20));
  });
});
