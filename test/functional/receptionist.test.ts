import { describe, expect, inject, test } from 'vitest';
import { Variables } from '../../shared/contract/receptionist.ts';
import { patience } from '../support/patience.ts';
import { operatorsBox } from '../support/secrets.ts';
import { voiceEvent } from '../support/voice/events.ts';
import { twoOrganizations } from '../support/test-organization.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

const phone = '+14155550123';
const inDays = (days: number, time = '03:00') =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`;

await api.call('updateOrganization', {
  body: { name: 'Northwind', businessPhone: '(02) 5550 1234', timeZone: 'Australia/Brisbane' },
});
await api.call('createService', {
  body: {
    name: 'Blocked drain',
    tradeCategoryId: 1,
    duration: 90,
    description: 'We clear it',
    pricingMode: 'FIXED',
    fixedPrice: 180,
    plusGST: true,
    isDisclosePrice: true,
    followUpQuestions: ['Which drain is it?'],
  },
});
await api.call('createService', {
  body: { name: 'Gas', tradeCategoryId: 1, pricingMode: 'HOURLY', hourlyRate: 99, isDisclosePrice: false },
});
await api.call('createService', { body: { name: 'Old', tradeCategoryId: 1, isActive: false } });
await api.call('createProduct', {
  body: {
    name: 'Tap',
    tradeCategoryId: 2,
    pricingType: 'RANGE',
    price: 20,
    maxPrice: 80,
    isDisclosePrice: true,
  },
});
await api.call('createPolicy', { body: { title: 'Pets', content: 'Dogs stay\noutside.' } });
const { faq } = await api.call('createFaq', { body: { question: 'Open on Sundays?', answer: 'No.' } });
await api.call('createTransfer', {
  body: {
    label: 'Bursts',
    method: 'WARM',
    destinationType: 'DEPARTMENT',
    destination: 'Emergencies',
    conditions: 'Water is running',
  },
});
const lead = { name: 'Jane Doe', phone, suburb: 'Glebe' };
for (const at of [1, 2, 3, 4])
  await api.call('createInquiry', { body: { source: 'CALL', summary: `Call ${at}`, lead, data: {} } });
const bookings = await Promise.all(
  [3, 1, 2].map((days) =>
    api.call('createAppointment', {
      body: { title: `Visit in ${days}`, start: inDays(days), end: inDays(days, '04:00'), lead },
    }),
  ),
);
const [third] = bookings;
await api.call('cancelAppointment', { params: { appointmentId: third!.appointment.id } });

describe('a receptionist', () => {
  test('is told of the business, the caller, the transfer rules, and what there is to know', async () => {
    const { business, caller, routes, prompt, leftOut } = await api.call('getReceptionist', {
      query: { phone, number: '(02) 5550 1234' },
    });
    expect(business).toMatchObject({
      name: 'Northwind',
      phone: '+61255501234',
      calledNumber: '+61255501234',
      localTime: expect.stringMatching(
        /^[A-Z]\w+day the \d+\w\w of [A-Z]\w+ at .+ in the \w+$|noon$|midnight$/,
      ) as string,
      hours: { isOpen: true, timeZone: 'Australia/Brisbane', say: 'Open around the clock' },
    });
    expect(caller).toMatchObject({
      firstName: '«Jane»',
      lastName: '«Doe»',
      phone,
      suburb: '«Glebe»',
      status: 'pending',
    });
    expect(caller?.lastInquiries.map(({ summary }) => summary)).toEqual(['«Call 4»', '«Call 3»', '«Call 2»']);
    expect(caller?.nextAppointments.map(({ title }) => title)).toEqual(['«Visit in 1»', '«Visit in 2»']);
    expect(caller?.nextAppointments[0]!.say).toMatch(/ at 1 in the afternoon$/);
    expect(routes).toMatchObject([{ label: 'Bursts', destinationName: 'Emergencies', isReachable: true }]);
    expect(leftOut).toEqual([]);
    expect(prompt).toBe(
      [
        'This is what Northwind offers, and how it works.',
        '## Policies\n- Pets. Dogs stay\n  outside.',
        '## Services\n' +
          '- Blocked drain (service 1). We clear it. It takes 90 minutes. AUD 180 plus GST. Ask: Which drain is it?\n' +
          '- Gas (service 2). It takes 60 minutes. Do not tell its price.',
        '## Products\n- Tap. AUD 20 to AUD 80.',
        '## Questions and answers\n- Open on Sundays? No.',
      ].join('\n\n'),
    );
  });

  test('gets the prompt alone as plain text, which a client that has it need not read again', async () => {
    const query = { format: 'text' };
    const { body, headers } = await api.answer('getReceptionist', { query });
    expect(body).toContain('## Services\n- Blocked drain');
    const again = { query, headers: { 'If-None-Match': headers.get('etag')! } };
    expect((await api.attempt('getReceptionist', again)).status).toBe(304);
  });

  test('is told what is configured as soon as it is', async () => {
    const ask = async () => (await api.call('getReceptionist')).prompt;
    await ask();
    const params = { faqId: faq.id };
    await api.call('updateFaq', { params, body: { answer: 'Emergencies only' } });
    expect(await ask()).toContain('- Open on Sundays? Emergencies only.');
    await api.call('updateFaq', { params, body: { isActive: false } });
    expect(await ask()).not.toContain('Sundays');
    await api.call('updateFaq', { params, body: { isActive: true } });
  });

  test.each([
    ['a hidden number', { phone: 'anonymous' }],
    ['a number of nobody', { phone: '+14155550188' }],
    ['nonsense', { phone: '💧7', number: 'x'.repeat(200) }, `«${'x'.repeat(40)}»`],
  ])('is told of no caller with %s', async (_, query: Record<string, string>, called = '') => {
    const { caller, business } = await api.call('getReceptionist', { query });
    expect(caller).toBeNull();
    expect(business.calledNumber).toBe(called);
  });

  test('is told of no lead of another organization, nor of one that was erased', async () => {
    const query = { phone: '+61491570156' };
    const { lead: made } = await theirs.api
      .call('createInquiry', { body: { source: 'CALL', lead: { name: 'Ann', ...query }, data: {} } })
      .then((body) => ({ lead: body.lead! }));
    expect((await api.call('getReceptionist', { query })).caller).toBeNull();
    expect((await theirs.api.call('getReceptionist', { query })).caller).toMatchObject({
      firstName: '«Ann»',
    });
    await theirs.api.call('eraseLead', { params: { leadId: made.id } });
    expect((await theirs.api.call('getReceptionist', { query })).caller).toBeNull();
  });

  test('needs its own scope, and none of leads', async () => {
    const narrow = await ours.apiFor('receptionist:read');
    const query = { phone: `sip:${phone}@sip.example.com` };
    expect((await narrow.call('getReceptionist', { query })).caller).toMatchObject({
      suburb: '«Glebe»',
    });
    await (await ours.apiFor('leads:read')).failure('getReceptionist', 403);
  });
});

describe('a platform is answered while a call rings:', () => {
  const keyed = ours.apiFor('receptionist:answer');
  const ring = async (query: Record<string, string>, body: unknown) =>
    (await keyed).call('answerRinging', { query, body });
  /** A slow machine may need several calls until it has read everything in time. */
  const expectRinging = (query: Record<string, string>, body: unknown) =>
    expect.poll(() => ring(query, body), { timeout: patience });
  const known = expect.objectContaining({
    business_name: 'Northwind',
    is_open: 'yes',
    business_hours: 'Open around the clock',
    caller_is_known: 'yes',
    caller_name: '«Jane Doe»',
    caller_first_name: '«Jane»',
    caller_suburb: '«Glebe»',
    last_inquiries: expect.stringMatching(
      /^CALL on \w+, \d+ \w+: «Call 4»\nCALL on .*: «Call 3»\nCALL on .*: «Call 2»$/,
    ) as string,
    next_appointments: expect.stringMatching(/^«Visit in 1»: .* in the afternoon\n«Visit in 2»: /) as string,
    transfers: 'Bursts: Water is running (Emergencies has no number: take a message)',
    knowledge: expect.stringContaining('- Blocked drain (service 1)') as string,
  }) as object;

  test('Retell', async () => {
    await expectRinging({ as: 'retell' }, voiceEvent('retell-ringing')).toEqual({
      call_inbound: { dynamic_variables: known },
    });
    const other = { as: 'retell', assistantId: 'agent_7' };
    expect(await ring(other, voiceEvent('retell-ringing'))).toMatchObject({
      call_inbound: { override_agent_id: 'agent_7' },
    });
  });

  test('Vapi, which needs the assistant', async () => {
    await expectRinging({ as: 'vapi', assistantId: 'a-1' }, voiceEvent('vapi-ringing')).toEqual({
      assistantId: 'a-1',
      assistantOverrides: { variableValues: known },
    });
    await (
      await keyed
    ).refuses(
      'answerRinging',
      { query: { as: 'vapi' }, body: {} },
      'assistantId is required with as=vapi, which calls no assistant without',
    );
  });

  test('a platform that signs, and no other, by a key with a secret', async () => {
    const secret = 'a-secret-of-the-platform';
    const signingSecret = await operatorsBox().encrypt(ours.code, secret);
    const key = await ours.issueToken({ scopes: ['receptionist:answer'], signingSecret });
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${inject('baseUrl')}/v1/receptionist/ringing?as=retell&key=${key}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(voiceEvent('retell-ringing')),
      });
      return response.status;
    };
    expect([
      await ask({ 'X-Vapi-Secret': secret }),
      await ask({}),
      await ask({ 'X-Vapi-Secret': 'x' }),
    ]).toEqual([200, 403, 403]);
  });

  test('ElevenLabs', async () => {
    await expectRinging({ as: 'elevenlabs' }, voiceEvent('elevenlabs-ringing')).toEqual({
      type: 'conversation_initiation_client_data',
      dynamic_variables: known,
    });
  });

  test.each<[string, unknown]>([
    ['a hidden number', { call_inbound: { from_number: 'anonymous', to_number: '' } }],
    ['another shape', { caller: 'x' }],
  ])('%s, with all variables, and none of a caller', async (_, body) => {
    const answer = await ring({ as: 'retell' }, body);
    const variables = 'call_inbound' in answer ? answer.call_inbound.dynamic_variables : undefined;
    expect(Object.keys(variables ?? {}).sort()).toEqual(Object.keys(Variables.entries).sort());
    const ofNobody = {
      business_name: 'Northwind',
      caller_is_known: 'no',
      caller_name: '',
      caller_lead_id: '',
      last_inquiries: '',
      next_appointments: '',
    };
    await expectRinging({ as: 'retell' }, body).toMatchObject({
      call_inbound: { dynamic_variables: ofNobody },
    });
  });

  test('a platform that is none is a 400, and any other token is refused', async () => {
    await (await keyed).failure('answerRinging', 400, { query: { as: 'twilio' }, body: {} });
    const forCalls = await ours.apiFor('calls:submit');
    await forCalls.failure('answerRinging', 403, { query: { as: 'retell' }, body: {} });
  });
});
