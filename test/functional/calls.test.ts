import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, inject, test, describe } from 'vitest';
import { keyCountOf } from '../support/key-count.ts';
import { operatorsBox } from '../support/secrets.ts';
import { eventsOfCall, voiceEvent } from '../support/voice/events.ts';
import { newOrganization, twoOrganizations, type TestOrganization } from '../support/test-organization.ts';

const { ours, theirs } = await twoOrganizations();

/** Sends an event as a platform does. */
async function send(key: string, event: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${inject('baseUrl')}/v1/calls/events?key=${key}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof event === 'string' ? event : JSON.stringify(event),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** An organization of the country that the events are of, and its key. */
async function american() {
  const organization = await newOrganization({ country: 'US' });
  return { organization, api: organization.api, key: await keyOf(organization) };
}

const keyOf = ({ issueToken }: Pick<TestOrganization, 'issueToken'>, signingSecret?: string) =>
  issueToken({ scopes: ['calls:submit'], ...(signingSecret !== undefined && { signingSecret }) });

/** Sends events by a key that has one request left of its day. */
async function lastOfDay(organization: TestOrganization, key: string) {
  await (await keyCountOf(organization, key)).leaveOne();
  return (call_id: string, event = 'call_started', headers: Record<string, string> = {}) =>
    send(key, { event, call: { call_id } }, headers);
}

/** Inquiries of an organization with their data, newest first, and the lead of each. */
async function inquiriesOf({ api }: Pick<TestOrganization, 'api'>) {
  const { inquiries } = await api.call('listInquiries', { query: { expand: 'external' } });
  return Promise.all(
    inquiries.map(async ({ id, externalInquiryId }) => {
      const inquiry = await api.call('getInquiry', { params: { inquiryId: id } });
      const { lead } = await api.call('getLead', { params: { leadId: inquiry.leadId } });
      return { inquiry, lead, externalInquiryId };
    }),
  );
}

async function onlyInquiryOf(organization: Pick<TestOrganization, 'api'>, message?: string) {
  const found = await inquiriesOf(organization);
  expect(found, message).toHaveLength(1);
  return found[0]!;
}

/** Every order of these events. */
const ordersOf = (events: readonly string[]): string[][] =>
  events.length === 0
    ? [[]]
    : events.flatMap((one) =>
        ordersOf(events.filter((other) => other !== one)).map((rest) => [one, ...rest]),
      );

const waysToSend = (events: readonly string[]) => [
  ...ordersOf(events),
  [...events, events[0]!],
  [events.at(-1)!],
];

const spoken = [
  ['assistant', 'Hi Jane, this is Ava from Northwind Dental. How can I help you today?'],
  ['user', 'I need to move my appointment to Friday.'],
  ['assistant', 'Done, you are booked for Friday at ten. Anything else?'],
  ['user', 'No, thank you. Bye.'],
];

describe.each(Object.entries(eventsOfCall))('the events of a call of %s', (platform, events) => {
  test('are one inquiry, in whatever order and however often they come', async () => {
    const seen = new Set<string>();
    for (const way of waysToSend(events)) {
      const { organization, key } = await american();
      for (const name of way) {
        const { status, body } = await send(key, voiceEvent(name));
        expect({ status, body }, name).toEqual({ status: 200, body: { stored: true } });
      }
      const { inquiry, lead, externalInquiryId } = await onlyInquiryOf(organization, way.join());
      if (inquiry.source !== 'CALL') throw new Error('It is no call');
      const { transcripts, ...call } = inquiry.data;
      expect(transcripts.map(({ user, text }) => [user, text])).toEqual(spoken);
      expect(call).toMatchObject({
        summary: expect.stringContaining('Friday') as string,
        direction: 'LEAD_TO_AI',
        endedBy: 'user',
        fields: { name: 'Jane Doe', email: 'jane@example.com', suburb: 'Glebe' },
      });
      expect(call.duration).toBeGreaterThan(15);
      expect(Date.parse(call.endedAt) - Date.parse(call.startedAt)).toBe(call.duration * 1000);
      expect(inquiry.summary).toBe(call.summary);
      expect(lead).toMatchObject({
        firstName: 'Jane',
        lastName: 'Doe',
        suburb: 'Glebe',
        phone: '+14155550123',
      });
      expect(lead).toMatchObject({ unreadCalls: 1, lastInquiryId: inquiry.id });
      // If the email comes after the lead was made, only the inquiry has it.
      expect([lead.email, inquiry.givenEmail]).toContain('jane@example.com');
      seen.add(JSON.stringify({ ...call, id: '', transcripts, externalInquiryId }));
    }
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).toContain(
      platform === 'elevenlabs' ? '"recordingUrl":""' : '"recordingUrl":"https://',
    );
  });
});

test('two events of one call at once are one inquiry', async () => {
  const { organization, key } = await american();
  const sent = [...eventsOfCall.retell, ...eventsOfCall.retell];
  const answers = await Promise.all(sent.map((name) => send(key, voiceEvent(name))));
  expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 200));
  expect((await onlyInquiryOf(organization)).inquiry.summary).toContain('Friday');
  expect((await organization.api.call('listLeads')).totalCount).toBe(1);
});

test('calls that nobody took, of the web, and that the assistant made are told as such', async () => {
  const { organization, key } = await american();
  const names = [
    ...['retell-not-connected', 'retell-web-call', 'vapi-no-answer', 'vapi-web-call'],
    ...['elevenlabs-outbound', 'elevenlabs-web-call', 'elevenlabs-failure-sip', 'elevenlabs-failure-twilio'],
  ];
  for (const name of names) expect((await send(key, voiceEvent(name))).body).toEqual({ stored: true });
  const found = (await inquiriesOf(organization)).toReversed().map(({ inquiry, lead }) => {
    if (inquiry.source !== 'CALL') throw new Error('It is no call');
    const { direction, endedBy, endReason, transcripts } = inquiry.data;
    return `${direction} ${endedBy} ${endReason} ${transcripts.length} ${lead.phone}`;
  });
  expect(found).toEqual([
    'AI_TO_LEAD system dial_no_answer 0 +14155550123',
    'LEAD_TO_AI assistant agent_hangup 4 ',
    'AI_TO_LEAD user customer-did-not-answer 0 +14155550123',
    'LEAD_TO_AI assistant assistant-ended-call 4 ',
    'AI_TO_LEAD assistant end_call tool was called. 4 +14155550123',
    'LEAD_TO_AI user Client disconnected: 1000 4 ',
    'AI_TO_LEAD system no-answer 0 +14155550123',
    'AI_TO_LEAD system busy 0 +14155550123',
  ]);
});

test('the lead is found by its number, and keeps its email and phone number', async () => {
  const { organization, key } = await american();
  const { lead: before } = await organization.api.call('createLead', {
    body: { firstName: 'Jane', email: 'own@example.com', phone: '+14155550123' },
  });
  for (const name of eventsOfCall.vapi) await send(key, voiceEvent(name));
  const { inquiry, lead } = await onlyInquiryOf(organization);
  expect(lead).toMatchObject({ id: before.id, email: 'own@example.com', lastName: 'Doe', suburb: 'Glebe' });
  expect(inquiry).toMatchObject({ givenEmail: 'jane@example.com', givenPhone: '' });
});

describe('a caller who says what another lead has', () => {
  const said = { email: 'ann@example.com', suburb: 'Glebe', business_name: 'Lee & Co' };
  const details = { suburb: 'Glebe', businessName: 'Lee & Co' };
  const [ofBo, unknown] = ['+14155550124', '+14155550125'];

  test.each<[string, object, string, object, object]>([
    ['is who has the number', said, ofBo, { email: '', ...details }, {}],
    ['is a new lead if the number is hidden', said, '', { phone: '', email: '', ...details }, {}],
    [
      'is a new lead if the number is only said',
      { ...said, phone: '(415) 555-0123' },
      '',
      { phone: '', email: '' },
      { givenPhone: '(415) 555-0123' },
    ],
    [
      'is a new lead with what no other lead has',
      { email: 'cy@example.com', phone: unknown },
      '',
      { phone: unknown, email: 'cy@example.com' },
      { givenEmail: '' },
    ],
  ])('%s', async (_, custom_analysis_data, from_number, expected, given) => {
    const { organization, api, key } = await american();
    const [{ lead: ann }, { lead: bo }] = [
      await api.call('createLead', {
        body: { firstName: 'Ann', email: said.email, phone: '+14155550123' },
      }),
      await api.call('createLead', { body: { firstName: 'Bo', phone: ofBo } }),
    ];
    const call = { call_id: 'call_1', from_number, call_analysis: { custom_analysis_data } };
    await send(key, { event: 'call_analyzed', call });
    const { inquiry, lead } = await onlyInquiryOf(organization);
    expect(lead).toMatchObject(expected);
    expect(inquiry).toMatchObject({ givenEmail: said.email, givenPhone: '', ...given });
    expect(lead.id === bo.id).toBe(from_number === ofBo);
    expect((await api.call('getLead', { params: { leadId: ann.id } })).lead).toEqual(ann);
  });
});

test('an inquiry that was read is unread again once more of its call is known, and only then', async () => {
  const { organization, api, key } = await american();
  const [started, ended] = eventsOfCall.retell;
  await send(key, voiceEvent(started));
  const params = { inquiryId: (await onlyInquiryOf(organization)).inquiry.id };
  const unread = async () => {
    const { inquiry, lead } = await onlyInquiryOf(organization);
    return [inquiry.isRead, lead.unreadCalls];
  };
  await api.call('updateInquiry', { params, body: { isRead: true, summary: 'Ask her' } });
  await send(key, voiceEvent(ended));
  expect(await unread()).toEqual([false, 1]);
  await api.call('updateInquiry', { params, body: { isRead: true } });
  await send(key, voiceEvent(ended));
  await send(key, voiceEvent(started));
  expect(await unread()).toEqual([true, 0]);
  for (const name of eventsOfCall.retell) await send(key, voiceEvent(name));
  expect((await onlyInquiryOf(organization)).inquiry.summary).toBe('Ask her');
});

test.each<[string, unknown, string]>([
  [
    'a transcript that goes on',
    { event: 'transcript_updated', call: { call_id: 'call_1' } },
    'Events of the type transcript_updated report no call',
  ],
  ['sound', voiceEvent('elevenlabs-audio'), 'Events of the type post_call_audio report no call'],
  ['nothing', '', 'The body has no fields'],
  ['a ping', { event: 'ping' }, 'The event is a ping'],
  ['a chat of Vapi', { message: { type: 'chat.created', chat: { id: '1' } } }, 'The event is about no call'],
])('%s is taken, and nothing is stored', async (_, event, reason) => {
  const { organization, key } = await american();
  expect(await send(key, event)).toEqual({ status: 200, body: { stored: false, reason } });
  expect(await inquiriesOf(organization)).toEqual([]);
});

test('an event of an unknown shape is kept for a person to see, once', async () => {
  const organization = await newOrganization();
  const key = await keyOf(organization);
  const event = { caller: { phone: '0491 570 159', name: 'Ann Lee' }, notes: { what: 'The tap drips' } };
  for (let times = 0; times < 2; times++) expect((await send(key, event)).body).toEqual({ stored: true });
  expect((await onlyInquiryOf(organization)).inquiry).toMatchObject({
    source: 'WEBFORM',
    data: { fields: { 'notes.what': 'The tap drips' } },
  });
});

test('values of other types than the platforms document lose nothing but themselves', async () => {
  const { organization, key } = await american();
  const call = {
    call_id: 'call_7',
    from_number: 14155550123,
    start_timestamp: 'now',
    duration_ms: -5,
    end_timestamp: 1e300,
    transcript_object: [null, 7, { content: 'Hello' }, { role: 'agent' }],
    call_analysis: 'none',
    transcript: 'Agent: Hi',
  };
  expect((await send(key, { event: 'call_ended', call })).body).toEqual({ stored: true });
  const { inquiry } = await onlyInquiryOf(organization);
  expect(inquiry).toMatchObject({ data: { duration: 0, transcripts: [{ text: 'Hello', user: 'user' }] } });
});

/**
 * Names of the parts of events that have findings about the call. Somebody has chosen the name of each
 * finding.
 */
const findings = ['custom_analysis_data', 'structuredData', 'data_collection_results'];

test.each(Object.entries(eventsOfCall))(
  'texts of any characters in events of %s are stored without those that cannot be',
  async (_, names) => {
    const { organization, key } = await american();
    const text = fc.string({
      unit: fc.constantFrom('\ud800', '\udfff', '\u0000', '\u001b', '\u0085', '\uFFFD', '\n', 'a', '🦊'),
      minLength: 1,
      maxLength: 9,
    });
    const property = fc.asyncProperty(
      fc.infiniteStream(fc.option(text, { freq: 2 })),
      text,
      async (texts, name) => {
        const event: unknown = JSON.parse(
          JSON.stringify(voiceEvent(names.at(-1)!)),
          (field, value: unknown): unknown => {
            if (findings.includes(field))
              return { ...(value as object), [name]: Object.values(value as object)[0] as unknown };
            const isKind = ['event', 'type', 'status'].includes(field);
            if (typeof value !== 'string' || isKind) return value;
            const { value: text } = texts.next() as IteratorYieldResult<string | null>;
            return text ?? value;
          },
        );
        expect(await send(key, event)).toEqual({ status: 200, body: { stored: true } });
      },
    );
    await fc.assert(property, { seed: 20261125, numRuns: 12 });
    const stored = await inquiriesOf(organization);
    expect(JSON.stringify(stored)).not.toMatch(/\\[bfu]|[\x7f-\x9f]/);
    expect(stored.map(({ externalInquiryId }) => externalInquiryId).join('')).not.toMatch(/\p{Cc}/u);
    expect(stored.length).toBeGreaterThan(5);
  },
);

test.each([
  ['is the first one', ['https://a.example/1.wav', 'https://b.example/long.wav'], 'https://a.example/1.wav'],
  [
    'has no other scheme',
    ['javascript:alert(1)//https://a.example', 'https://b.example/1.wav'],
    'https://b.example/1.wav',
  ],
])('the link to a recording %s', async (_, links, expected) => {
  const { organization, key } = await american();
  for (const recording_url of links)
    await send(key, { event: 'call_ended', call: { call_id: 'call_1', recording_url } });
  expect((await onlyInquiryOf(organization)).inquiry).toMatchObject({ data: { recordingUrl: expected } });
});

test('a call of hours is cut where an item ends, and says so', async () => {
  const organization = await newOrganization({ country: 'US' });
  const turns = (count: number, length: number) =>
    Array.from({ length: count }, (_, at) => ({
      role: 'user',
      content: `${at} ${'é'.repeat(length)}`,
      words: [],
    }));
  const key = await keyOf(organization);
  const sendTurns = (call_id: string, transcript_object: unknown) =>
    send(key, { event: 'call_ended', call: { call_id, transcript_object } });
  await sendTurns('call_1', turns(1200, 5));
  await sendTurns('call_2', turns(400, 1000));
  const found = (await inquiriesOf(organization)).map(({ inquiry }) => {
    if (inquiry.source !== 'CALL') throw new Error('It is no call');
    const { transcripts } = inquiry.data;
    return [transcripts.length, transcripts.at(-1)!.text];
  });
  expect(found).toEqual([
    [115, '… (286 more turns, not kept)'],
    [1000, '… (201 more turns, not kept)'],
  ]);
});

describe('a key with a secret', () => {
  const secret = 'a-secret-of-the-platform';
  const event = voiceEvent('retell-call-started');
  const text = JSON.stringify(event);
  const hmac = (signed: string) => createHmac('sha256', secret).update(signed).digest('hex');
  const signed = (now = Date.now()): Record<string, Record<string, string>> => ({
    retell: { 'X-Retell-Signature': `v=${now},d=${hmac(`${text}${now}`)}` },
    elevenlabs: {
      'ElevenLabs-Signature': `t=${Math.floor(now / 1000)},v0=${hmac(`${Math.floor(now / 1000)}.${text}`)}`,
    },
    vapi: { 'X-Signature': hmac(`${now}.${text}`), 'X-Timestamp': String(now) },
    'a plain secret': { 'X-Vapi-Secret': secret },
    'a bearer': { Authorization: `Bearer ${secret}` },
  });
  const signedKey = async () => keyOf(theirs, await operatorsBox().encrypt(theirs.code, secret));

  test.each(Object.keys(signed()))('takes what is signed as by %s, and nothing else', async (way) => {
    const key = await signedKey();
    expect(await send(key, text, signed()[way])).toMatchObject({ status: 200, body: { stored: true } });
    const changed = text.replace('ongoing', 'Ongoing');
    const isOfBody = !way.startsWith('a ');
    expect((await send(key, changed, signed()[way])).status).toBe(isOfBody ? 403 : 200);
    if (isOfBody) expect((await send(key, text, signed(Date.now() - 31 * 60_000)[way])).status).toBe(403);
  });

  test('stores any number of calls in a day', async () => {
    const organization = await newOrganization({ country: 'US' });
    const call = await lastOfDay(
      organization,
      await keyOf(organization, await operatorsBox().encrypt(organization.code, secret)),
    );
    for (const id of ['call_1', 'call_2'])
      expect((await call(id, 'call_started', { 'X-Vapi-Secret': secret })).status).toBe(200);
    expect(await inquiriesOf(organization)).toHaveLength(2);
  });

  test.each<[string, Record<string, string>]>([
    ['no signature', {}],
    ['another secret', { 'X-Vapi-Secret': 'a-secret-of-the-platforn' }],
    ['a signature that is none', { 'X-Retell-Signature': 'v=1,d=zz' }],
  ])('refuses %s', async (_, headers) => {
    const { status, body } = await send(await signedKey(), text, headers);
    expect({ status, body }).toMatchObject({
      status: 403,
      body: {
        error: { message: 'The event is not signed by the secret of its key, or was signed too long ago' },
      },
    });
  });
});

test('a key without a secret stores as many calls in a day as forms', async () => {
  const { organization, key } = await american();
  const call = await lastOfDay(organization, key);
  expect((await call('call_1')).status).toBe(200);
  expect(await call('call_2')).toMatchObject({
    status: 429,
    body: { error: { message: 'Too many requests in one day, try again later' } },
  });
  // A later event of a call adds no inquiry.
  expect((await call('call_1', 'call_ended')).status).toBe(200);
  expect(await inquiriesOf(organization)).toHaveLength(1);
});

test('the key is for this alone, and no other token is taken', async () => {
  const forForms = await ours.issueToken({ scopes: ['forms:submit'], sites: ['https://a.example'] });
  expect((await send(forForms, voiceEvent('retell-call-started'))).status).toBe(403);
  expect((await send(ours.token, voiceEvent('retell-call-started'))).status).toBe(401);
  const api = await ours.apiFor('calls:submit');
  await api.call('submitCallEvent', { body: voiceEvent('retell-web-call') });
});

test('after an erasure nothing of a caller is left, and another call is another lead', async () => {
  const { organization, key } = await american();
  for (const name of eventsOfCall.retell) await send(key, voiceEvent(name));
  const { lead } = await onlyInquiryOf(organization);
  const { done } = await organization.api.call('eraseLead', { params: { leadId: lead.id } });
  expect(done).toBe(true);
  expect(await inquiriesOf(organization)).toEqual([]);
  await send(key, voiceEvent(eventsOfCall.retell[0]));
  const { lead: next } = await onlyInquiryOf(organization);
  expect(next).toMatchObject({ firstName: '', phone: '+14155550123', unreadCalls: 1 });
  expect(next.id).not.toBe(lead.id);
});
