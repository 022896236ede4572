import { describe, expect, test } from 'vitest';
import { sentences } from '../../shared/contract/errors.ts';
import { createFormSubmissionEndpoint, formSentences } from '../../shared/contract/forms.ts';
import {
  formCount,
  formToken,
  newestForm,
  sendForm,
  sendJson,
  sites,
  type Sending,
} from '../support/forms.ts';
import { keyCountOf } from '../support/key-count.ts';
import { clientFor, twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;
const token = await formToken(ours);

type Contacts = Partial<Record<'email' | 'phone', string>>;

/** Sends a form that is stored. Returns its inquiry and its lead. */
async function stored(form: Parameters<typeof sendForm>[1], sending?: Sending) {
  const { status, text } = await sendForm(token, form, sending);
  expect(status, text).toBe(201);
  return newestForm(ours);
}

const leadCount = async () => (await api.call('listLeads')).totalCount;

describe('a form is previewed as it is stored', () => {
  test.each<[string, Record<string, string>]>([
    [
      'names and suburb',
      { name: 'Sofia Rossi', suburb: 'Leichhardt', message: 'No hot water', when: 'soon' },
    ],
    ['a national number', { firstName: 'Sofia', phone: '0491 570 110', email: 'preview1@example.com' }],
    [
      'a number that is none',
      { phone: 'ask my neighbour', email: 'preview2@example.com', 'a question': 'Why?' },
    ],
  ])('with %s', async (_, body) => {
    const before = await formCount(ours);
    const preview = await api.call('previewForm', { body });
    expect(await formCount(ours)).toBe(before);
    const { lead, fields, formName } = await stored(body);
    expect(preview).toMatchObject({ isStored: true, inquiry: { fields, formName } });
    expect(lead).toMatchObject(preview.lead);
    expect(preview.sent.map(({ name, value }) => [name, value])).toEqual(Object.entries(body));
  });

  test('with what a map takes fields for; a ping and a full trap are not stored, and a key may not ask', async () => {
    const body = { address: { town: 'Glebe' }, _hp: 'x' };
    const query = { map: 'suburb:address.town' };
    expect(await api.call('previewForm', { body, query })).toMatchObject({
      isStored: false,
      lead: { suburb: 'Glebe' },
      sent: [{ name: 'address.town', value: 'Glebe', takenFor: ['suburb'] }],
    });
    await api.refuses('previewForm', { body: {} }, sentences.emptyForm);
    await clientFor(token, ['forms:submit']).failure('previewForm', 403, { body });
  });
});

describe('a form makes a lead and an inquiry', () => {
  test('urlencoded, as a browser sends it', async () => {
    const form = {
      name: 'Sofia Rossi',
      'E-Mail': 'sofia@example.com',
      phone: '0491 570 156',
      suburb: 'Leichhardt',
      business_name: 'Rossi & Co',
      message: 'No hot water,\r\nsince this morning',
      when: ' soon ',
      empty: '',
      _form: 'Contact',
      _next: '/thanks',
      _hp: '',
    };
    const answer = await sendForm(token, form);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      201,
      { message: 'Form submitted successfully' },
    ]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const { lead, ...inquiry } = await newestForm(ours);
    expect(lead).toMatchObject({
      firstName: 'Sofia',
      lastName: 'Rossi',
      email: 'sofia@example.com',
      phone: '+61491570156',
      suburb: 'Leichhardt',
      businessName: 'Rossi & Co',
      status: 'pending',
      unreadWebformSubmissions: 1,
    });
    expect(inquiry).toEqual({
      formName: 'Contact',
      fields: { message: 'No hot water,\nsince this morning', when: ' soon ' },
      summary: 'No hot water,\nsince this morning',
      givenEmail: '',
      givenPhone: '',
    });
    const { activities } = await api.call('listLeadActivities', {
      params: { leadId: lead.id },
    });
    expect(activities.map(({ event }) => event)).toEqual(['INQUIRY_CREATED', 'LEAD_CREATED']);
  });

  test('multipart, without its files', async () => {
    const form = new FormData();
    form.append('First name', 'Zoë');
    form.append('photo', new Blob([Buffer.from([0xff, 0xd8, 0, 1, 2])], { type: 'image/jpeg' }), 'IMG_1.jpg');
    form.append('other', new Blob([]), '');
    form.append('day', 'Monday');
    form.append('day', 'Friday');
    expect(await stored(form)).toMatchObject({
      lead: { firstName: 'Zoë', lastName: '', email: '' },
      fields: { photo: 'IMG_1.jpg (a file, not kept)', day: 'Monday, Friday' },
    });
  });

  test.each(['application/json', 'application/cloudevents+json; charset=utf-8', 'text/plain'])(
    'as JSON of the type %s, with nested values named by their paths',
    async (type) => {
      const body = {
        lead: { email: 'kim@example.com' },
        answers: [{ text: 'Yes' }, 7],
        name: 'Kim',
        id: null,
      };
      expect(await sendJson(token, body, { type, map: 'email:lead.email' })).toMatchObject({ status: 201 });
      expect(await newestForm(ours)).toMatchObject({
        lead: { firstName: 'Kim', email: 'kim@example.com' },
        fields: { 'answers.0.text': 'Yes', 'answers.1': '7' },
      });
    },
  );

  test('named after its website, if it has no name', async () => {
    const headers = { Origin: 'https://www.example.com' };
    expect(await stored({ name: 'Ann' }, { headers })).toMatchObject({ formName: 'www.example.com' });
  });
});

test('a form in which no person is recognized says so, until a later form names one', async () => {
  const send = async (body: object) => {
    await sendJson(token, { id: 'nobody-1', ...body }, { map: 'externalInquiryId:id' });
    return (await newestForm(ours)).summary;
  };
  expect(await send({ colour: 'red' })).toBe('No name, email or phone number was recognized in this form');
  const message = `Leak\n${formSentences.nobody}`;
  expect(await send({ colour: 'red', message: 'Leak' })).toBe(message);
  expect(await send({ colour: 'red', message: 'Other' })).toBe(message);
  expect(await send({ colour: 'red', email: 'none' })).toBe(message);
  expect(await send({ colour: 'red', 'Your Email': 'late@example.com' })).toBe('Leak');
  const { inquiry } = await api.call('previewForm', { body: { colour: 'red', message: 'Leak' } });
  expect(inquiry.summary).toBe(message);
});

describe('a form finds its lead', () => {
  test('by the email, in any case, and fills its empty fields but the phone number; the inquiry keeps what was new', async () => {
    const body = { name: 'Bo', email: 'Bo@example.com' };
    const { lead } = await api.call('createLead', { body });
    const form = { name: 'Bo Berg', email: 'bo@EXAMPLE.com', phone: '0491 570 157', suburb: 'Glebe' };
    await sendForm(token, form);
    const found = await newestForm(ours);
    expect(found.lead).toMatchObject({
      id: lead.id,
      firstName: 'Bo',
      lastName: 'Berg',
      phone: '',
      suburb: 'Glebe',
    });
    expect(found.fields).toEqual(form);
    // The lead has a suburb since then.
    await sendForm(token, { email: 'Bo@example.com', suburb: 'Glebe' });
    expect((await newestForm(ours)).fields).toEqual({});
  });

  test.each<[string, Contacts, Required<Contacts>, Contacts?]>([
    ['the email', { email: 'e1@example.com' }, { email: 'E1@example.com', phone: '0491 570 313' }],
    [
      'the email, of one who has another number',
      { email: 'e2@example.com', phone: '+61491570314' },
      { email: 'e2@example.com', phone: '0491 570 737' },
    ],
    ['the number', { phone: '+61491571266' }, { email: 'e3@example.com', phone: '0491 571 266' }],
    [
      'the email of one, and the number of another',
      { email: 'e6@example.com' },
      { email: 'e6@example.com', phone: '0491 571 804' },
      { phone: '+61491571804' },
    ],
  ])('by %s, and changes neither: the inquiry keeps the given values', async (_, known, given, other) => {
    const create = async (body: object) => (await api.call('createLead', { body })).lead;
    const lead = await create({ name: 'Cy', ...known });
    const another = other && (await create({ name: 'Di', ...other }));
    expect(await sendForm(token, given)).toMatchObject({ status: 201 });
    const { email, phone } = { email: '', phone: '', ...known };
    const hasEmail = given.email.toLowerCase() === email;
    const hasPhone = given.phone.replaceAll(/\D/g, '').slice(-9) === phone.slice(-9);
    expect(await newestForm(ours)).toMatchObject({
      lead: { id: lead.id, email, phone, isOptedOut: false },
      givenEmail: hasEmail ? '' : given.email,
      givenPhone: hasPhone ? '' : given.phone,
      fields: { ...(!hasEmail && { email: given.email }), ...(!hasPhone && { phone: given.phone }) },
    });
    if (another) {
      const params = { leadId: another.id };
      expect((await api.call('getLead', { params })).lead).toEqual(another);
    }
  });

  test('once, if two forms make it at the same time', async () => {
    const before = await leadCount();
    const form = { name: 'Eve', email: 'eve@example.com' };
    const answers = await Promise.all([sendForm(token, form), sendForm(token, form)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(await leadCount()).toBe(before + 1);
  });

  test('not again, if another system repeats the form; ids of another key are apart', async () => {
    const map = 'externalInquiryId:event.id,email:event.mail';
    const [before, other] = [await formCount(ours), await formToken(ours)];
    for (const [key, id, count] of [
      [token, '12345678901234567890', 1],
      [token, '12345678901234567890', 1],
      // One digit less is another id.
      [token, '12345678901234567891', 2],
      // Two services may use the same ids.
      [other, '12345678901234567890', 3],
      [other, '12345678901234567890', 3],
    ] as const) {
      const body = `{"event":{"id":${id},"mail":"flo@example.com"}}`;
      expect(await sendForm(key, body, { type: 'application/json', map })).toMatchObject({ status: 201 });
      expect(await formCount(ours)).toBe(before + count);
      expect(await newestForm(ours)).toMatchObject({ fields: { 'event.id': id } });
    }
  });

  test('once for an id: a later form fills in what the first lacked, and what differs is kept beside it', async () => {
    const first = {
      id: 'race-1',
      name: 'Ann',
      email: 'ann9@example.com',
      message: 'Leak',
      attempt: 1,
      sentAt: '2026-12-05T10:00:00Z',
    };
    const before = await formCount(ours);
    const send = async (body: object) => {
      const { status, text } = await sendJson(token, body, { map: 'externalInquiryId:id' });
      expect([status, text]).toEqual([201, '{"message":"Form submitted successfully"}']);
      expect(await formCount(ours)).toBe(before + 1);
      const { lead, fields, summary, givenEmail, givenPhone } = await newestForm(ours);
      return { lead, fields, summary, givenEmail, givenPhone };
    };
    // The first one may come from a stranger who read the key in the page.
    const known = await send({ id: 'race-1', room: 'Attic', sentAt: '2026-12-05T09:00:00Z' });
    expect(known.fields).toEqual({ id: 'race-1', room: 'Attic', sentAt: '2026-12-05T09:00:00Z' });
    expect(known.summary).toBe(formSentences.nobody);
    const filled = await send({ ...first, room: 'Cellar' });
    expect(filled).toMatchObject({
      lead: { id: known.lead.id, firstName: 'Ann', email: '', phone: '' },
      summary: 'Leak',
      givenEmail: 'ann9@example.com',
      givenPhone: '',
    });
    const kept = {
      ...known.fields,
      'room (2)': 'Cellar',
      name: 'Ann',
      email: 'ann9@example.com',
      message: 'Leak',
    };
    expect(filled.fields).toEqual(kept);
    const again = [
      first,
      { ...first, attempt: 2, sentAt: '2026-12-05T10:00:09Z' },
      { ...first, retry_count: 3, delivery: { attempts: 4, timestamp: 'Wed, 30 Sep 2026 01:12:05 +0000' } },
      Object.fromEntries(Object.entries({ ...first, room: 'Cellar' }).reverse()),
      { id: 'race-1', room: 'Attic' },
    ];
    for (const body of again) expect((await send(body)).fields).toEqual(kept);
    // A person's text counts, whatever the name of its field.
    const last = await send({
      ...first,
      email: 'bo9@example.com',
      phone: '0491 570 006',
      signature: 'Ann of Unley',
    });
    expect(last.fields).toEqual({
      ...kept,
      'email (2)': 'bo9@example.com',
      phone: '0491 570 006',
      signature: 'Ann of Unley',
    });
    expect(last).toMatchObject({
      givenEmail: 'ann9@example.com',
      givenPhone: '0491 570 006',
      summary: 'Leak',
    });
    expect(last.lead).toMatchObject({ email: '', phone: '' });
  });

  test('an inquiry that was read is unread again once a later form has more', async () => {
    const send = (body: object) =>
      sendJson(token, { id: 'read-1', ...body }, { map: 'externalInquiryId:id' });
    await send({ name: 'Cy Dee' });
    const { inquiries } = await api.call('listInquiries', { query: { limit: 1, source: 'WEBFORM' } });
    const params = { inquiryId: inquiries[0]!.id };
    await api.call('updateInquiry', { params, body: { isRead: true } });
    const isRead = async () => (await api.call('getInquiry', { params })).isRead;
    await send({ name: 'Cy Dee' });
    expect(await isRead()).toBe(true);
    await send({ name: 'Cy Dee', day: 'Friday' });
    expect(await isRead()).toBe(false);
    expect((await newestForm(ours)).lead).toMatchObject({ unreadWebformSubmissions: 1 });
  });

  test('by the API although a stranger with the key has used the same id', async () => {
    const externalInquiryId = 'crm-1001';
    await sendForm(token, { name: 'Mallory', id: externalInquiryId }, { map: 'externalInquiryId:id' });
    const body = { source: 'EMAIL', data: {}, externalInquiryId, lead: { email: 'real@example.com' } };
    const answer = await api.answer('createInquiry', { body });
    expect(answer).toMatchObject({ status: 201, body: { lead: { email: 'real@example.com' } } });
    const again = await api.answer('createInquiry', { body });
    expect(again).toMatchObject({ status: 200, body: { inquiry: { id: answer.body.inquiry.id } } });
    const { inquiries } = await api.call('listInquiries', {
      query: { expand: 'external', limit: 2 },
    });
    expect(inquiries.map((inquiry) => inquiry.externalInquiryId)).toEqual([
      externalInquiryId,
      externalInquiryId,
    ]);
    for (const inquiry of inquiries) expect(inquiry).not.toHaveProperty('keyId');
  });

  test('by its phone number in another notation', async () => {
    const body = { name: 'Eva', phone: '+541123456789' };
    const { lead } = await api.call('createLead', { body });
    await sendForm(token, { phone: '+54 9 11 2345-6789', message: 'Hola' });
    const found = await newestForm(ours);
    expect([found.lead.id, found.givenPhone, found.fields]).toEqual([lead.id, '', { message: 'Hola' }]);
  });

  test('by the phone number of each message that Twilio passes on from WhatsApp', async () => {
    const map = 'phone:From,message:Body,externalInquiryId:MessageSid,name:ProfileName';
    const message = { From: 'whatsapp:+61491578957', Body: 'Hello', ProfileName: 'Ann Lee' };
    const before = await leadCount();
    for (const MessageSid of ['SM1', 'SM2']) await sendForm(token, { ...message, MessageSid }, { map });
    expect(await leadCount()).toBe(before + 1);
    const { lead, givenPhone } = await newestForm(ours);
    expect([lead.phone, givenPhone]).toEqual(['+61491578957', message.From]);
  });

  test('by the number in a text of several lines', async () => {
    const phone = `0491 577 644\n${'Call after five. '.repeat(20)}`;
    await sendForm(token, { phone });
    const { lead, givenPhone, fields } = await newestForm(ours);
    expect([lead.phone, fields]).toEqual(['+61491577644', { phone }]);
    expect(givenPhone).toBe(phone.replace('\n', ' ').slice(0, 200));
  });

  test('by the first of several texts that is a phone number', async () => {
    const answers = ['Ann', '2026-12-05', 'order 10002000300', '0491 570 110', '0491 570 111'];
    const { status } = await sendJson(token, { answers }, { map: 'phone:answers.*' });
    expect(status).toBe(201);
    const { lead, fields, givenPhone } = await newestForm(ours);
    expect([lead.phone, givenPhone]).toEqual(['+61491570110', '']);
    expect(Object.values(fields)).toEqual(answers.filter((answer) => answer !== '0491 570 110'));
  });
});

describe('a form is never refused for what a person typed', () => {
  test('invalid emails, numbers and names are kept as typed, and the lead is made of the rest', async () => {
    const form = {
      name: 'x'.repeat(500),
      firstName: 'Gil',
      email: 'gil at example',
      phone: 'call 12 34',
      suburb: 'Un\uFFFDley',
      businessName: 'two\nlines',
    };
    const { lead, fields, givenPhone } = await stored(form);
    expect(lead).toMatchObject({ firstName: 'Gil', lastName: '', email: '', phone: '', suburb: '' });
    const { firstName, ...rest } = form;
    expect(fields).toEqual(rest);
    expect(givenPhone).toBe('call 12 34');
  });

  test('bytes that are not UTF-8 become U+FFFD, as do lone surrogates, and control characters are left out', async () => {
    const type = 'application/x-www-form-urlencoded';
    expect(await stored('name=Z%FC&note=%ff%00', { type })).toMatchObject({
      lead: { firstName: '' },
      fields: { name: 'Z\uFFFD', note: '\uFFFD' },
    });
    expect(
      (await stored('{"no\\u0007te":"\\u0000a\\ud800\\n","x":"\\u001b"}', { type: 'application/json' }))
        .fields,
    ).toEqual({
      note: 'a\uFFFD\n',
    });
  });

  test('a message of any length is cut, and says so; its beginning is the summary', async () => {
    const message = `\uFFFD${'Drip. '.repeat(100_000)}`;
    const { lead, fields, summary } = await stored({ name: 'Hal', message, room: 'Kitchen' });
    expect([lead.firstName, fields['room']]).toEqual(['Hal', 'Kitchen']);
    expect(fields['message']).toMatch(/^\uFFFD(?:Drip\. )+.* … \(cut: it had 600001 characters\)$/);
    expect(fields['message']!.length).toBeGreaterThan(32_000);
    expect(summary).toBe(`${'Drip. '.repeat(50)}…`);
  });
});

test('the largest possible form costs so many write units', async () => {
  const ours = await verifiedOrganization();
  const api = clientFor(await formToken(ours), ['forms:submit']);
  const wide = (length: number) => '🦊'.repeat(length);
  const body = {
    firstName: wide(100),
    lastName: wide(100),
    email: `one@${`${'d'.repeat(60)}.`.repeat(3)}example`.padStart(254, 'e'),
    phone: '+61491570110',
    suburb: wide(100),
    businessName: wide(200),
    message: wide(100_000),
    id: wide(200),
    _form: wide(1000),
    ...Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}${wide(300)}`, wide(1000)])),
  };
  const { status, cost } = await api.answer('createFormSubmission', {
    body,
    query: { map: 'externalInquiryId:id' },
  });
  expect([status, cost.writeUnits]).toEqual([201, 113]);
  const { fields } = await newestForm(ours);
  expect(fields['message']).toMatch(/ … \(cut: it had 200000 characters\)$/);
});

test('a parameter that a campaign or a service adds to the address is a field; those of the body come first', async () => {
  const address = 'utm_source=spring+%26+co&_gl=1*abc&tag=a&tag=b&name=Bob&empty=&_form=Other';
  const form = { name: 'Ann', tag: 'c', _form: 'Contact' };
  expect(await stored(form, { address })).toMatchObject({
    lead: { firstName: 'Ann' },
    formName: 'Contact',
    fields: { utm_source: 'spring & co', _gl: '1*abc', tag: 'c, a, b', name: 'Ann, Bob' },
  });
});

describe('a ping of a service, which describes no person', () => {
  const Origin = 'https://www.example.com';

  test.each<[object, Sending?]>([
    [{ event: 'ping' }],
    [
      {
        type: 'PING',
        id: 'evt_1',
        account: 'Corner Roofing',
        webhook: { url: 'https://a.example', active: true },
      },
    ],
    [{ event: 'endpoint.tried', id: 7, created_at: '2026-12-05T10:00:00Z', attempt: 1, api_version: '2' }],
    [{ eventId: '5b', eventType: 'TEST', createdAt: 1790000000 }, { map: 'externalInquiryId:eventId' }],
    [{ event: 'ping' }, { address: 'utm_source=tally' }],
  ])('is answered, and not stored: %j', async (body, sending = {}) => {
    const before = [await formCount(ours), await leadCount()];
    const answer = await sendJson(token, body, sending);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { message: 'Received; there is nothing of a person in it, so nothing is stored' },
    ]);
    expect([await formCount(ours), await leadCount()]).toEqual(before);
  });

  test.each<[object, Sending?]>([
    [{ colour: 'red' }],
    [{ event: 'form.submitted', data: { nachricht: 'Bitte melden' } }],
    [{ type: 'Roof leaks, please call Ann' }],
    [{ id: '0491 570 156' }],
    [{ event: 'ping', email: 'ann at example' }],
    [{ event: 'ping', q1: 'Leak' }, { map: 'message:q1' }],
    // A website's form is a person's.
    [{ type: 'urgent' }, { headers: { Origin } }],
    [{ event: 'ping' }, { headers: { Origin } }],
  ])("is not assumed for a form that may be a person's: %j", async (body, sending = {}) => {
    const before = await formCount(ours);
    expect(await sendJson(token, body, sending)).toMatchObject({ status: 201 });
    expect(await formCount(ours)).toBe(before + 1);
  });
});

test("a hidden field that a script sends as an unchecked box is no robot's", async () => {
  await sendJson(token, { name: 'Ann', room: 'Attic', _hp: false });
  expect(await newestForm(ours)).toMatchObject({ fields: { room: 'Attic' } });
});

test.each([
  ['urlencoded', 'name=&email=+&_form=Contact&_next=%2F', 'application/x-www-form-urlencoded'],
  ['JSON', '{"name":" ","a":[null,{}],"_hp":""}', 'application/json'],
  ['without a body', undefined, undefined],
])('a form in which nothing is filled in is 400: %s', async (_, body, type) => {
  const before = await formCount(ours);
  const answer = await sendForm(token, body, type === undefined ? {} : { type });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({ error: { message: 'Nothing is filled in' } });
  expect(await formCount(ours)).toBe(before);
});

test('a form that a robot has filled in is answered as a success, and not stored', async () => {
  const before = [await formCount(ours), await leadCount()];
  const api = clientFor(token, ['forms:submit']);
  const body = { name: 'Robot', email: 'robot@example.com', _hp: 'https://spam.example' };
  const answer = await api.answer('createFormSubmission', { body });
  expect(answer).toMatchObject({ status: 201, body: { message: 'Form submitted successfully' } });
  expect(answer.cost).toEqual({ calls: 0, readUnits: 0, writeUnits: 0 });
  expect([await formCount(ours), await leadCount()]).toEqual(before);
});

describe('an unreadable form is refused', () => {
  test.each([
    [
      'malformed JSON',
      '{\n"name": Ann}',
      'application/json',
      400,
      'The body cannot be read as JSON: line 2, column 9',
    ],
    [
      'malformed multipart',
      'name=Ann',
      'multipart/form-data; boundary=x',
      400,
      'The body cannot be read as a form',
    ],
    ['XML', '<name>Ann</name>', 'application/xml', 415, /^The Content-Type must be application\/x-www/],
  ])('%s', async (_, body, type, status, message) => {
    const answer = await sendForm(token, body, { type });
    expect(answer.status).toBe(status);
    const { error } = JSON.parse(answer.text) as { error: { message: string } };
    expect(error.message).toMatch(message);
  });

  test('that is larger than Lambda takes', async () => {
    const form = new FormData();
    form.append('name', 'Ann');
    form.append('photo', new Blob([Buffer.alloc(5_000_000, 0xff)], { type: 'image/jpeg' }), 'IMG_1.jpg');
    expect(await sendForm(token, form)).toMatchObject({ status: 413 });
  });

  test('with a malformed map, or with two maps', async () => {
    const api = clientFor(token, ['forms:submit']);
    const body = { name: 'Ann' };
    const { details } = await api.failure('createFormSubmission', 400, {
      body,
      query: { map: 'mail:x' },
    });
    expect(details?.map(({ field }) => field)).toEqual(['map']);
    expect(details?.[0]?.message).toMatch(/^must be pairs such as email:/);
    const twice = `${createFormSubmissionEndpoint.path}?map=name:a&map=name:b`;
    const form = { isKeyed: true, headers: { 'Content-Type': 'application/json' }, body: '{"name":"Ann"}' };
    expect(await api.send('POST', twice, form)).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'map', message: 'is given more than once' }] } },
    });
  });
});

describe('the forms that one key may store in a day', () => {
  const [minute, day] = [60_000, 86_400_000];

  test('are stored; further ones are a 429 until midnight, UTC, which pages and scripts of the site can read', async () => {
    const [full, other] = [await formToken(ours), await formToken(ours)];
    await (await keyCountOf(ours, full)).leaveOne();
    const before = await formCount(ours);
    const headers = { Origin: sites[0]! };
    const send = (key: string, more = {}) => sendForm(key, { name: 'Max', email: 'max@example.com' }, more);
    expect(await send(full, { headers })).toMatchObject({ status: 201 });
    const began = Date.now();
    const refused = await send(full, { headers });
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      429,
      { message: 'Too many requests', error: { message: 'Too many requests in one day, try again later' } },
    ]);
    expect(refused.headers.get('access-control-allow-origin')).toBe(sites[0]);
    const wait = 1000 * Number(refused.headers.get('retry-after'));
    // A midnight, whenever the request was served. The clock of the service may differ from the test's clock by a
    // minute.
    const [daysBefore, daysAfter] = [began - minute, Date.now() + minute].map((now) =>
      Math.floor((now + wait) / day),
    );
    expect(daysAfter).toBe(daysBefore! + 1);
    const page = await send(full, { headers: { ...headers, Accept: 'text/html' } });
    expect(page.status).toBe(429);
    expect(page.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(page.text).toContain('<h1>Your message was not sent</h1>');
    expect(await send(other)).toMatchObject({ status: 201 });
    expect(await formCount(ours)).toBe(before + 2);
  });

  test('do not include a robot’s form, an empty one, or a repeated one', async () => {
    const key = await formToken(ours);
    const form = { name: 'Ned', id: 'once' };
    const map = 'externalInquiryId:id';
    for (const sent of [form, form, { ...form, _hp: 'x' }, {}]) await sendForm(key, sent, { map });
    const { itemKey, read } = await keyCountOf(ours, key);
    const expiresAtSecond = Date.parse(new Date().toISOString().slice(0, 10)) / 1000 + 2 * 86_400;
    expect(await read()).toEqual({ ...itemKey(), times: 1, expiresAtSecond });
  });
});

test('one organization’s form makes no lead in another, whoever has its email', async () => {
  const body = { name: 'Ida', email: 'ida@example.com' };
  const { lead } = await theirs.api.call('createLead', { body });
  expect(await sendForm(token, { ...body, phone: '0491 570 159' })).toMatchObject({ status: 201 });
  const newest = await newestForm(ours);
  expect(newest.lead.id).not.toBe(lead.id);
  expect(newest.lead.id).toContain(ours.code);
  expect((await theirs.api.call('listLeads')).leads).toEqual([lead]);
  expect(await formCount(theirs)).toBe(0);
});
