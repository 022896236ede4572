import { describe, expect, test } from 'vitest';
import { noAddress } from '../../shared/contract/address.ts';
import { inquirySources } from '../../shared/contract/inquiries.ts';
import { events } from '../../shared/ledger/index.ts';
import { newEmail, newLead, newNumber, postInquiry } from '../support/inquiries.ts';
import { twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

const arrive = (body: object, { api }: Pick<typeof ours, 'api'> = ours) => postInquiry(api, body);
const newInquiry = (body: object) => ({ body: { source: 'CALL', data: {}, ...body } });
const create = async (body: object) => (await api.call('createLead', { body })).lead;
const leadNow = async (leadId: string) => (await api.call('getLead', { params: { leadId } })).lead;
const activitiesOf = async (leadId: string) => {
  const { activities } = await api.call('listLeadActivities', { params: { leadId } });
  return activities.map(({ data }) => data);
};
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
    const gone = await newLead(ours);
    await api.call('deleteLead', { params: { leadId: gone.id } });
    for (const leadId of ['', 'nonsense', gone.id, (await newLead(theirs)).id]) {
      const body = { source: 'SMS', data: {}, leadId, externalInquiryId: 'never' };
      expect(await api.failure('createInquiry', 404, { body })).toMatchObject({
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
    ['a last name', { lastName: 'Lee' }, { lastName: 'Lee', phone: '' }],
  ])('needs no name if there is %s', async (_, lead, expected) => {
    expect((await arrive({ lead })).lead).toMatchObject({ firstName: '', ...expected });
  });

  test.each(['anonymous', '12', '0412 345 678 9', `sip:${'x'.repeat(150)}@example.com`])(
    'gets no phone number that is %s; the inquiry keeps it',
    async (phone) => {
      for (const lead of [{ phone }, { phone, name: 'Ann' }]) {
        const { inquiry, lead: made } = await arrive({ lead });
        expect(inquiry).toMatchObject({ givenPhone: phone, isFirstInquiry: true });
        expect(made).toMatchObject({ phone: '', unreadCalls: 1 });
      }
    },
  );

  test.each([
    [
      { suburb: 'Manly' },
      { suburb: 'manly', address: { line1: '1 Bay St' } },
      { line1: '1 Bay St', suburb: 'Manly' },
    ],
    [{ address: { line1: '1 Bay St' } }, { suburb: 'Manly' }, { line1: '1 Bay St', suburb: 'Manly' }],
    // Another place: parts of two would make a third.
    [{ suburb: 'Manly' }, { address: { line1: '2 Hill St', suburb: 'Bondi' } }, { suburb: 'Manly' }],
  ])('at %j that now gives %j is at %j', async (known, given, address) => {
    const email = newEmail();
    await create({ firstName: 'Ann', email, ...known });
    const { lead } = await arrive({ lead: { email, ...given } });
    const whole = { ...noAddress, ...address };
    expect(lead).toMatchObject({ suburb: whole.suburb, address: whole });
  });

  test('is found by its email, in any case, and gets its empty fields filled, but no status', async () => {
    const email = newEmail();
    const before = await create({
      firstName: 'Ann',
      email,
      socials: { x: '@ann' },
      suburb: 'Manly',
      status: 'won',
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
    const { leads } = await api.call('listLeads', { query: { phone } });
    expect(leads).toEqual([lead]);
    // The lead lacks none of these fields any more.
    await arrive({ lead: { ...given, email } });
    expect((await activitiesOf(before.id)).slice(0, 2)).toEqual(['There was a call', 'There was a call']);
  });

  test.each([
    // The lead has a first name only.
    [{ firstName: 'Grace' }, { lastName: 'Baker' }, ['Grace', '']],
    [{ firstName: 'Grace' }, { name: 'GRACE Baker' }, ['Grace', 'Baker']],
    // The lead has a last name only.
    [{ lastName: 'Baker' }, { name: 'Tom baker' }, ['Tom', 'Baker']],
    [{ lastName: 'O’Neill' }, { name: "Tom O'Neill" }, ['Tom', 'O’Neill']],
    // The lead has no name.
    [{}, { firstName: '', name: 'Ann Lee' }, ['Ann', 'Lee']],
  ])("with the names %j takes from %j only a half of the same person's name", async (known, given, names) => {
    const phone = newNumber();
    await arrive({ lead: { ...known, phone } });
    const { lead } = await arrive({ lead: { ...given, phone } });
    expect([lead!.firstName, lead!.lastName]).toEqual(names);
  });

  test('is found by its phone number, however it is written, and gets an email that is free', async () => {
    const email = newEmail();
    const before = await create({ name: 'Cy', phone: '0491 572 665' });
    for (const phone of ['+61491572665', '0491572665', '0011 61 491 572 665']) {
      const { lead, inquiry } = await arrive({ lead: { phone, email } });
      expect(lead).toMatchObject({ id: before.id, email, phone: '+61491572665' });
      expect(inquiry.givenPhone).toBe('');
    }
  });

  test.each([
    // Reported:
    ...['tel:+61491570611', '0491 570 611 (mobile)', '0491 570 611 / 02 5550 1234'],
    // Made up:
    '0491570611 ext. 5',
  ])('is found by the first phone number in %s; the inquiry keeps the text', async (text) => {
    const phone = '+61491570611';
    const known = (await api.call('listLeads', { query: { phone } })).leads[0];
    const { lead, inquiry } = await arrive({ lead: { phone: text } });
    expect(lead).toMatchObject({ phone, ...(known && { id: known.id }) });
    expect(inquiry.givenPhone).toBe(text);
  });

  test('is the one with the email, even if another has the phone number', async () => {
    const [email, phone] = [newEmail(), newNumber()];
    const byEmail = await create({ name: 'Dee', email });
    const byPhone = await create({ name: 'Eve', phone });
    const { inquiry, lead } = await arrive({ lead: { email, phone, suburb: 'Manly' } });
    expect(lead).toMatchObject({ id: byEmail.id, phone: '', suburb: 'Manly' });
    expect(inquiry.givenPhone).toBe(phone);
    expect(await leadNow(byPhone.id)).toEqual(byPhone);
  });

  test('that has another phone number keeps it, and the inquiry the given one', async () => {
    const [email, phone, other] = [newEmail(), newNumber(), newNumber()];
    await create({ name: 'Flo', email, phone });
    const { inquiry, lead } = await arrive({ lead: { email, phone: other } });
    expect([lead!.phone, inquiry.givenPhone]).toEqual([phone, other]);
    const { inquiry: third } = await arrive({ lead: { email: newEmail(), phone } });
    expect([third.leadId, third.givenEmail, third.givenPhone]).toEqual([
      inquiry.leadId,
      expect.stringMatching(/@/),
      '',
    ]);
    expect((await api.call('listLeads', { query: { phone: other } })).totalCount).toBe(0);
  });

  test.each([
    ['inquiries:create', false],
    ['leads:write', true],
  ] as const)(
    'gets an email and a phone number by a token that may change leads: %s',
    async (scope, isFilled) => {
      const narrow = await ours.apiFor(...new Set(['inquiries:create', scope] as const));
      const send = (lead: object) => narrow.answer('createInquiry', newInquiry({ lead }));
      const [email, phone, suburb] = [newEmail(), newNumber(), 'Manly'];
      for (const [known, lacking] of [
        [{ email }, { phone: newNumber() }],
        [{ phone }, { email: newEmail() }],
      ]) {
        const lead = await create({ name: 'Ann', ...known });
        expect(await send({ ...known, ...lacking, suburb })).toMatchObject({ status: 201 });
        const after = await leadNow(lead.id);
        const { email: hasEmail, phone: hasPhone } = { ...lead, ...(isFilled && lacking) };
        expect(after).toMatchObject({ email: hasEmail, phone: hasPhone, suburb });
        const { email: givenEmail = '', phone: givenPhone = '' } = isFilled
          ? {}
          : (lacking as { email?: string; phone?: string });
        const params = { inquiryId: after.lastInquiryId! };
        expect(await api.call('getInquiry', { params })).toMatchObject({ givenEmail, givenPhone });
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

describe('an externalInquiryId', () => {
  test('sent again answers 200 with the stored inquiry, whatever the other fields are, and stores nothing', async () => {
    const externalInquiryId = 'Provider/1 #ä';
    const first = await arrive({
      source: 'SMS',
      data: { messages: [{ text: 'Hi' }] },
      externalInquiryId,
      lead: { name: 'Gil' },
    });
    const stored = await eventCount();
    for (const body of [
      { source: 'SMS', data: {}, externalInquiryId, lead: { name: 'Gil' } },
      {
        source: 'EMAIL',
        data: { body: 'Other' },
        externalInquiryId: ` ${externalInquiryId}`,
        lead: { email: newEmail() },
      },
      { source: 'CALL', data: {}, externalInquiryId, leadId: 'nonsense', isRead: true, tag: 'x' },
    ]) {
      const answer = await api.answer('createInquiry', { body });
      expect(answer).toMatchObject({ status: 200, body: first });
      expect(answer.body.inquiry).toEqual(first.inquiry);
    }
    expect(await eventCount()).toBe(stored);
    const query = { leadId: first.lead!.id, expand: 'external' };
    const { inquiries } = await api.call('listInquiries', { query });
    expect(inquiries.map((item) => item.externalInquiryId)).toEqual([externalInquiryId]);

    await api.call('deleteLead', { params: { leadId: first.lead!.id } });
    expect(await arrive({ externalInquiryId, leadId: 'gone' })).toEqual({
      inquiry: first.inquiry,
      lead: null,
    });
  });

  test('differs by case', async () => {
    const ids = [];
    for (const externalInquiryId of ['case-A', 'case-a', 'CASE-A', null, undefined]) {
      ids.push((await arrive({ externalInquiryId, lead: { phone: 'anonymous' } })).inquiry.id);
    }
    expect(new Set(ids).size).toBe(5);
  });
});

test('many at once of one unknown caller make one lead', async () => {
  const fresh = await verifiedOrganization();
  const lead = { phone: '+61491570156', email: 'one@example.com' };
  const answers = await Promise.all(
    [{ phone: lead.phone }, { email: lead.email, phone: '0491 570 156' }, lead, { phone: '0491570156' }].map(
      (from) => fresh.api.attempt('createInquiry', { body: { source: 'CALL', data: {}, lead: from } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const { leads, totalCount } = await fresh.api.call('listLeads');
  expect(totalCount).toBe(1);
  expect(leads[0]).toMatchObject({ ...lead, unreadCalls: 4 });
  const list = await fresh.api.call('listInquiries');
  expect(list.inquiries.map(({ isFirstInquiry }) => isFirstInquiry)).toEqual([false, false, false, true]);
});

describe('a token that may only create inquiries', () => {
  test('gets only ids, of new and of stored inquiries', async () => {
    const narrow = await ours.apiFor('inquiries:create');
    const parts = newInquiry({ externalInquiryId: 'narrow-1', lead: { email: newEmail() } });
    for (const status of [201, 200]) {
      const answer = await narrow.answer('createInquiry', parts);
      expect(answer).toMatchObject({ status });
      expect(answer.body).toEqual({
        inquiry: { id: expect.stringMatching(/^inquiry_/) as unknown },
        lead: { id: expect.stringMatching(/^lead_/) as unknown },
      });
    }
  });

  test('and read them sees no leads, not in a list either', async () => {
    const narrow = await ours.apiFor('inquiries:create', 'inquiries:read');
    const { inquiry, lead } = await arrive({ lead: { name: 'Hal' } }, { api: narrow });
    const { id, leadId } = inquiry;
    expect(lead).toEqual({ id: leadId });
    const listed = async (expand: string) =>
      (await narrow.call('listInquiries', { query: { expand, limit: 1 } })).inquiries;
    expect(await listed('lead')).toMatchObject([{ id, lead: { id: leadId } }]);
    await api.call('deleteLead', { params: { leadId } });
    expect(await listed('both')).toMatchObject([{ id, lead: null }]);
  });
});

/** Data without its ids. */
const withoutIds = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data, (name, value: unknown) => (name === 'id' ? undefined : value)));

describe('a body', () => {
  const together = 'lead must be given where there is no leadId, and only there';
  const time = 'must be a time with its zone, such as 2026-11-02T13:06:00Z or 2026-11-03T00:06:00+11:00';
  test.each<[object, string]>([
    [
      { data: { transcripts: [{ txt: 'x' }] } },
      'data.transcripts.0.txt is not a known field; did you mean data.transcripts.0.text?',
    ],
    [{ lead: undefined }, together],
    [{ lead: {} }, 'lead must have a name, an email or a phone'],
    [
      { data: { recordingUrl: 'a.example/1.mp3' } },
      'data.recordingUrl must be a link that begins with https:// or http://',
    ],
    [{ data: { startedAt: 'yesterday' } }, `data.startedAt ${time}`],
    [{ data: { endedAt: '2026-02-30T00:00:00Z' } }, `data.endedAt ${time}`],
    [{ data: { endedAt: '9999-12-31T23:59:59-01:00' } }, `data.endedAt ${time}`],
    [
      { source: 'SMS', data: { messages: Array(51).fill({ text: 'x' }) } },
      'data.messages must be at most 50 long',
    ],
    [{ source: 'WEBFORM', data: { fields: { '': 'x' } } }, 'data.fields. is a field without a name'],
  ])('with %j is refused: %s', async (changes, problem) => {
    await api.refuses('createInquiry', newInquiry({ lead: { name: 'Ann' }, ...changes }), problem);
  });

  test('can be an inquiry as it was read, without its read-only fields', async () => {
    const { inquiry } = await arrive({ lead: { phone: 'anonymous' } });
    const { isFlagged, data, ...rest } = inquiry;
    const again = await arrive({ ...rest, data: {}, givenPhone: 'ignored' });
    expect(again.inquiry).toMatchObject({ leadId: inquiry.leadId, givenPhone: '', isFirstInquiry: false });
  });

  test.each(inquirySources)('can have the data of a %s as it was read', async (source) => {
    const data = { CALL: { transcripts: [{}] }, CHATBOT: { messages: [{}] }, SMS: { messages: [{}] } };
    const given = { source, lead: { email: newEmail() }, data: { ...data, EMAIL: {}, WEBFORM: {} }[source] };
    const { inquiry } = await arrive(given);
    const again = await arrive({ ...given, data: inquiry.data });
    expect(withoutIds(again.inquiry.data)).toEqual(withoutIds(inquiry.data));
    expect(again.inquiry.data.id).not.toBe(inquiry.data.id);
  });
});
