import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { describe, expect, inject, test } from 'vitest';
import { IssuedTokenEnvelope } from '../../shared/contract/access-tokens.ts';
import { newToken } from '../../shared/domain/tokens/token.ts';
import { toolSets } from '../../shared/http/agents/answer-agent.ts';
import { noToken } from '../../shared/http/agents/refusal-text.ts';
import { sendingAs } from '../../shared/http/agents/sending.ts';
import { connectAgent, revisions, told, type Revision } from '../support/connect-agent.ts';
import { blocksOf, curl, guideOf } from '../support/docs/guide.ts';
import { wordsOf } from '../../infra/site/requests.ts';
import { inThirdWeek } from '../support/office.ts';
import { newOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();
const { api, token } = ours;
const baseUrl = inject('baseUrl');
const address = (set?: string) => new URL(`${baseUrl}/mcp${set === undefined ? '' : `?tools=${set}`}`);

const agent = (
  { set, authorization }: { set?: string; authorization?: string | undefined },
  revision?: Revision,
) => connectAgent(address(set), authorization, revision);

const withToken = `Bearer ${token}`;
const idIn = (text: string, kind: string) => new RegExp(`${kind}_\\w+`).exec(text)?.[0] ?? '';

const { service } = await api.call('createService', {
  body: { name: 'Hot water', tradeCategoryId: 1 },
});
const { company } = await api.call('createCompany', { body: { name: 'Strata Co' } });
await api.call('createFaq', {
  body: { question: 'Do you work on Sundays?', answer: 'Emergencies only.' },
});

const tuesday = inThirdWeek(2);

let people = 0;
/** Makes a lead with an inquiry that nobody has read. */
async function newPerson(firstName: string) {
  const phone = `+61491578${String(++people).padStart(3, '0')}`;
  const { lead } = await api.call('createLead', { body: { firstName, lastName: 'Lee', phone } });
  const data = { messages: [{ text: 'No hot water. '.repeat(200) }] };
  const body = { source: 'CHATBOT', summary: 'No hot water', leadId: lead.id, data } as const;
  const { inquiry } = await api.call('createInquiry', { body });
  return { leadId: lead.id, inquiryId: inquiry.id, phone };
}

describe.each(revisions)('an agent of %s', (revision) => {
  test('finds Ann, texts her, marks her inquiry as read, and books Tuesday', async () => {
    const name = revision === '2026-07-28' ? 'Annabel' : 'Annette';
    const { leadId, inquiryId } = await newPerson(name);
    const { call, instructions } = await agent({ authorization: withToken }, revision);
    expect(instructions).toMatch(/^Tools for the leads[^]* between « and » [^]* never an instruction/);

    const found = await call('find_leads', { query: name });
    expect(found).toBe(`Leads: 1\n${leadId}, «${name} Lee», pending, +6149157800${people}, 1 unread`);
    const sent = await call('send_text', { leadId, message: `Hi ${name}, see you on Tuesday` });
    expect(sent).toMatch(/^The SMS was sent\. inquiry_\w+ shows/);
    expect(await call('list_inquiries', { isUnread: true })).toContain(`${inquiryId}, ${leadId}, CHATBOT`);
    expect(await call('update_inquiry', { inquiryId, isRead: true })).toBe(`Changed ${inquiryId}`);
    expect(await api.call('getInquiry', { params: { inquiryId } })).toMatchObject({ isRead: true });

    const slots = await call('find_slot', { serviceId: service.id, from: tuesday, to: tuesday });
    const [, start, userId] = /start (\S+) \(\w+\), userId (\S+)/.exec(slots) ?? [];
    const booking = { serviceId: service.id, start, userId, title: 'Heater', leadId };
    expect(await call('book_appointment', booking)).toMatch(/^You are booked for Tuesday .*\nappointment_/);
    const booked = await api.call('listAppointments', { query: { leadId } });
    expect(booked.appointments).toMatchObject([
      { start: new Date(start!).toISOString(), attendees: [userId] },
    ]);

    // The next caller is told of other times.
    const taken = await call('book_appointment', { ...booking, leadId: (await newPerson('Bob')).leadId });
    expect(taken).toMatch(
      /^Error: An attendee is not free at that time\n(Free: Tuesday .*: start \S+ \(Tuesday\), userId user_\w+\n?){3}/,
    );
    const listed = await call('list_appointments', { leadId });
    expect(listed).toMatch(new RegExp(`_\\w+, ${leadId}, ${userId}, .*, «Heater»$`));
    const appointmentId = idIn(listed, 'appointment');
    const [, other] = /Free: .*?start (\S+) /.exec(taken) ?? [];
    expect(await call('move_appointment', { appointmentId, start: other })).toBe(
      `Moved ${appointmentId}, ${other} (Tuesday)`,
    );
    expect(await call('cancel_appointment', { appointmentId })).toBe(`Cancelled ${appointmentId}`);
  });
});

describe('the tools', () => {
  test.each(['receptionist', 'office'] as const)('of the %s are described, in one order', async (set) => {
    const tools = await (await agent({ set })).list();
    expect(tools.map(({ name }) => name)).toEqual(toolSets[set].map(({ name }) => name));
    for (const { name, title, description, annotations } of tools) {
      expect([name, title, description]).not.toContain(undefined);
      expect(annotations).toHaveProperty('readOnlyHint');
    }
  });

  test('say what they destroy, and that a repeat does nothing', async () => {
    const tools = await (await agent({})).list();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint);
    const names = ['update_lead', 'opt_out', 'update_inquiry', 'move_appointment', 'cancel_appointment'];
    expect(destructive.map(({ name }) => name)).toEqual(names);
    const writes = tools.filter(({ annotations }) => !annotations?.readOnlyHint);
    expect(writes.every(({ annotations }) => annotations?.idempotentHint)).toBe(true);
  });

  test.each([
    ['leads:read', ['find_leads', 'read_lead', 'list_activities', 'report_pipeline']],
    ['webhooks:read', []],
  ] as const)('of a token with %s are those that it allows', async (scope, names) => {
    const narrow = await ours.issueToken({ scopes: [scope] });
    const { list } = await agent({ authorization: `Bearer ${narrow}` });
    expect((await list()).map(({ name }) => name)).toEqual(names);
  });

  test.each([
    ['no token', undefined],
    ['a token that nobody issued', `Bearer ${newToken('test', randomBytes)}`],
  ])('are described to %s, and do nothing', async (_, authorization) => {
    const { list, call } = await agent({ authorization });
    expect((await list()).length).toBe(toolSets.office.length);
    expect(await call('find_leads')).toBe(`Error: ${noToken}`);
  });

  test.each([
    ['with a text that is no token', 0, 'Bearer sk_test_wrong'],
    ['with another scheme', 0, `Basic ${token}`],
    ['with a wrong checksum', 0, `${withToken.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['with the form of a token', 1, `bearer  ${newToken('test', randomBytes)}`],
  ])('ask the API %s %i times', async (_, times, authorization) => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(401).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const send = sendingAs(authorization, { baseUrl: `http://127.0.0.1:${port}`, address: '127.0.0.1' });
    const answer = await send({ method: 'GET', target: '/v1/leads', body: undefined, key: undefined });
    server.close();
    expect([answer.status, requests]).toEqual([401, times]);
  });

  test('make one request of the API each, and tell times with offset and weekday', async () => {
    const { leadId, inquiryId, phone } = await newPerson('Zed');
    const other = await newPerson('Yan');
    const { call } = await agent({ authorization: withToken });
    const booked = await call('find_slot', { serviceId: service.id });
    const [, start, userId] = /start (\S+) \(\w+\), userId (\S+)/.exec(booked) ?? [];
    const booking = { serviceId: service.id, start, userId, title: 'Tap', leadId };
    const appointmentId = idIn(await call('book_appointment', booking), 'appointment');
    const given: Record<string, object> = {
      who_calls: { phone },
      answer_question: { question: 'Sundays?' },
      find_slot: { serviceId: service.id },
      book_appointment: booking,
      take_message: { message: 'Call back', leadId },
      read_lead: { leadId },
      create_lead: { name: 'Cy Lo' },
      update_lead: { leadId, status: 'won' },
      opt_out: { leadId: other.leadId },
      list_activities: { leadId },
      list_inquiries: { leadId },
      read_inquiry: { inquiryId },
      update_inquiry: { inquiryId, isFlagged: true },
      send_text: { leadId, message: 'Hi' },
      add_note: { companyId: company.id, note: 'Open at noon' },
      list_appointments: { from: tuesday, to: tuesday },
      move_appointment: { appointmentId, start },
      cancel_appointment: { appointmentId },
    };
    const send = sendingAs(withToken, { baseUrl, address: '127.0.0.1' });
    for (const tool of new Set([...toolSets.receptionist, ...toolSets.office])) {
      const targets: string[] = [];
      const result = await tool.call(given[tool.name] ?? {}, (request) => {
        targets.push(request.target);
        return send(request);
      });
      expect(told(result), tool.name).not.toMatch(/^(Error|$)/);
      for (const [time] of told(result).matchAll(/\d{4}-\d\d-\d\dT\S+( \S+)?/g))
        expect(time, tool.name).toMatch(/^\S{10}T\d\d:\d\d\+1[01]:00 \([A-Z][a-z]+day\)/);
      // Before it creates a lead, the tool looks for leads with this name.
      expect(targets, tool.name).toHaveLength(tool.name === 'create_lead' ? 2 : 1);
    }
    const leadOf = async (id: string) => (await api.call('getLead', { params: { leadId: id } })).lead;
    expect((await leadOf(leadId)).status).toBe('won');
    expect((await leadOf(other.leadId)).isOptedOut).toBe(true);
  });
});

describe('a booking of an agent', () => {
  const made = (async () => {
    const of = await newOrganization();
    const week = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
    const hours = week.map((each) => [each, [{ from: '08:00', to: '17:00' }]]);
    await of.api.call('updateOrganization', {
      body: { openingHours: Object.fromEntries(hours) as object, areasServed: ['Glebe'] },
    });
    const serve = async (body: object) => {
      const whole = { name: 'Tap', tradeCategoryId: 1, ...body };
      return (await of.api.call('createService', { body: whole })).service.id;
    };
    const lead = { name: 'Ann Lee', phone: '0491570156', suburb: 'Glebe' };
    const { lead: ann } = await of.api.call('createLead', { body: lead });
    const { call } = await connectAgent(address(), `Bearer ${of.token}`);
    const desk = await connectAgent(address('receptionist'), `Bearer ${of.token}`);
    const [serviceId, unused, gas] = [
      await serve({}),
      await serve({ name: 'Old', isActive: false }),
      await serve({ name: 'Gas' }),
    ];
    const params = { memberId: 1 };
    await of.api.call('updateMemberSchedule', { params, body: { serviceIds: [serviceId, unused] } });
    return { call, ask: desk.call, serviceId, unused, gas, userId: of.userId, leadId: ann.id };
  })();
  const at = (time: string, date = tuesday) => `${date}T${time}:00+11:00`;
  const person = { title: 'Tap', name: 'Ann Lee', phone: '0491570156', suburb: 'Glebe' };
  const offers = 'Free: Tuesday .*: start 20';

  test.each<[mistake: string, args: Record<string, string>, answer: string]>([
    [
      'a digit is missing',
      { phone: '0491 570 15' },
      '^Error: phone must be a phone number: .* Ask for the number again$',
    ],
    [
      'the month has passed',
      { start: '2020-11-01T09:00+11:00' },
      '^Error: start is in the past: it is .* now, in 20\\d\\d\\nFree: .*: start 20',
    ],
    [
      'a service not in use',
      { serviceId: 'unused' },
      '^Error: serviceId names a service that is not in use; take another service$',
    ],
    [
      'who does not do it',
      { serviceId: 'gas', userId: 'userId' },
      '^Error: userId names user_\\w+, who does not do the service$',
    ],
    ['elsewhere', { suburb: 'Kenmore' }, '^Error: suburb is outside the areas served$'],
    ['a lead and somebody else', { leadId: 'leadId' }, '^Error: The person cannot be combined with leadId$'],
    [
      'another name',
      { name: 'Zoe Hart' },
      '^You are booked for Tuesday .* under another name, .* «Zoe Hart»\\.\\n',
    ],
    ['a time that is taken', {}, `^Error: Nobody who does the service is free at that time\\n${offers}`],
  ])('is answered so that one more call can mend it: %s', async (_, given, answer) => {
    const { call, ask, ...ids } = await made;
    const named = Object.fromEntries(
      Object.entries({ serviceId: 'serviceId', ...given }).map(([name, value]) => [
        name,
        (Reflect.get(ids, value) as unknown) ?? value,
      ]),
    );
    expect(await call('book_appointment', { start: at('09:00'), ...person, ...named })).toMatch(
      new RegExp(answer),
    );
  });

  test('is told by who_calls and list_appointments: when, with whom, and for whom', async () => {
    const { call, ask, serviceId } = await made;
    await call('book_appointment', { ...person, serviceId, start: at('11:00') });
    const known = await ask('who_calls', { phone: '0491570156' });
    expect(known).toMatch(
      new RegExp(
        `\\nBooked ${tuesday}T11:00\\+11:00 \\(Tuesday\\), appointment_\\w{16}, «Tap», with Tess Owner`,
      ),
    );
    const listed = await call('list_appointments', { from: tuesday, to: tuesday });
    expect(listed).toMatch(
      /appointment_\w{16}, lead_\w{16}, user_\w{16}, PENDING, .*T09:00\+11:00 \(Tuesday\) to .*, «Ann Lee», given as «Zoe Hart», with Tess Owner, «Tap»/,
    );
  });
});

test('create_lead names the leads that have the name, in any order and case, and creates on demand', async () => {
  const { call } = await agent({ authorization: withToken });
  const first = idIn(await call('create_lead', { name: 'Xanthe Liu' }), 'lead');
  const refused = await call('create_lead', { name: 'LIU xanthe' });
  expect(refused).toContain('Nothing was created: a lead has this name.');
  expect(refused).toContain(first);
  const second = idIn(await call('create_lead', { name: 'Xanthe Liu', isAnotherPerson: true }), 'lead');
  expect(second).not.toBe(first);
  // A token that may not read leads learns nothing of other leads.
  const blindToken = await ours.issueToken({ scopes: ['leads:write'] });
  const { call: blind } = await agent({ authorization: `Bearer ${blindToken}` });
  expect(await blind('create_lead', { name: 'Xanthe Liu' })).toMatch(/^Created lead_/);
});

describe('an answer', () => {
  test('tells how to go on', async () => {
    for (let n = 0; n < 12; n += 1) await newPerson('Queue');
    const { call } = await agent({ authorization: withToken });
    const first = await call('find_leads', { query: 'Queue' });
    expect(first.length).toBeLessThan(1500);
    expect(first).toMatch(/^Leads: 12\n[^]*\n2 more: page 2$/);
    expect((await call('find_leads', { query: 'Queue', page: 2 })).split('\n')).toHaveLength(3);
    const wednesday = new Date(Date.parse(tuesday) + 86_400_000).toISOString().slice(0, 10);
    for (let hour = 10; hour < 22; hour += 1) {
      const [start, end] = [`${wednesday}T${hour}:00:00+11:00`, `${wednesday}T${hour + 1}:00:00+11:00`];
      await api.call('createAppointment', { body: { title: 'Visit', start, end } });
    }
    const day = { from: wednesday, to: wednesday };
    expect(await call('list_appointments', day)).toMatch(/^Appointments: 12\n[^]*\n2 more: page 2$/);
    expect((await call('list_appointments', { ...day, page: 2 })).split('\n')).toHaveLength(3);
    const { inquiryId } = await newPerson('Long');
    const chat = await call('read_inquiry', { inquiryId });
    const [, from] = /\n\d+ more characters: from (\d+)$/.exec(chat) ?? [];
    const rest = await call('read_inquiry', { inquiryId, from: Number(from) });
    expect(rest).toContain('No hot water.');
    expect(rest).not.toBe(chat);
  });

  test.each([
    ['read_lead', { leadId: 'lead_none' }, 'There is no such lead'],
    ['read_lead', { leadId: '../webhooks' }, /leadId must be an id\nread_lead takes leadId$/],
    [
      'find_leads',
      { colour: 'red' },
      /colour is not an argument of find_leads\nfind_leads takes query, email, phone, status, page$/,
    ],
    [
      'list_activities',
      { lead_id: 'x' },
      /lead_id is not an argument of list_activities; did you mean leadId\?\nleadId is required\n/,
    ],
    [
      'find_leads',
      { query: 'Ann', status: 'won' },
      /query cannot be combined with status: of the filters, only createdFrom/,
    ], // reported
    [
      'find_leads',
      { status: 'open' },
      /status must be one of pending, active, quoted, won, lost, archived\n/,
    ],
    [
      'find_slot',
      { serviceId: 'drain' },
      /serviceId must be a number\nfind_slot takes serviceId, from, to, suburb$/,
    ],
    ['find_slot', { serviceId: '' }, /serviceId is required\n/],
    ['list_inquiries', { isUnread: true, tag: 'Gas' }, /tag cannot be combined with isUnread/],
    ['add_note', { companyId: company.id, note: 'x'.repeat(20_000) }, /note must be at most/],
    ['take_message', { message: 'Hi' }, /The person must have a name, an email or a phone/],
  ] as const)('of %s with %j says what to change', async (name, args, message) => {
    const { call } = await agent({
      set: name === 'take_message' ? 'receptionist' : 'office',
      authorization: withToken,
    });
    const answer = await call(name, args);
    if (typeof message === 'string') expect(answer).toBe(`Error: ${message}`);
    else expect(answer).toMatch(new RegExp(`^Error: [^]*${message.source}`));
  });

  test.each([
    ['find_slot', { serviceId: String(service.id) }, { serviceId: service.id }], // reported
    ['report_pipeline', { days: '7' }, { days: 7 }], // reported
    ['report_pipeline', { days: ' 2.0 ' }, { days: 2 }],
    ['list_inquiries', { isUnread: 'true' }, { isUnread: true }], // reported
    ['list_inquiries', { isUnread: 'False', page: '1' }, {}],
    ['find_leads', { query: 'Grace', email: '', phone: '', status: '', page: 1 }, { query: 'Grace' }], // reported
    [
      'find_leads',
      { query: 'null', email: ' ', phone: 'undefined', status: 'Pending', page: 'None' },
      { status: 'pending' },
    ],
    ['list_inquiries', { source: 'webform', tag: 'null' }, { source: 'WEBFORM' }],
    ['find_leads', { phone: 61491578001 }, { phone: '61491578001' }],
    ['list_services', { page: null, colour: null }, {}],
  ])('of %s with %j is that with %j', async (name, given, meant) => {
    const { call } = await agent({ authorization: withToken });
    const answer = await call(name, given);
    expect(answer).toBe(await call(name, meant));
    expect(answer).not.toMatch(/^Error/);
  });

  test.each([null, '', 'null'])(
    'of every tool is the same with %j for each argument that may be left out',
    async (nothing) => {
      for (const tool of [...toolSets.receptionist, ...toolSets.office]) {
        const { properties = {}, required = [] } = tool.inputSchema['~standard'].jsonSchema.input({
          target: 'draft-07',
        }) as { properties?: object; required?: string[] };
        const sent = async (args: object) => {
          const requests: unknown[] = [];
          await tool.call(args, (request) => {
            requests.push(request);
            return Promise.resolve({ status: 404, headers: new Headers(), body: { message: 'None' } });
          });
          return requests;
        };
        const needed = Object.fromEntries(required.map((argument) => [argument, '7']));
        const filled = Object.fromEntries(Object.keys(properties).map((argument) => [argument, nothing]));
        const bare = await sent(needed);
        expect(bare, tool.name).toHaveLength(1);
        expect(await sent({ ...filled, ...needed }), tool.name).toEqual(bare);
      }
    },
  );

  test('of a token without the scope names it', async () => {
    const narrow = await ours.issueToken({ scopes: ['leads:read'] });
    const { call } = await agent({ authorization: `Bearer ${narrow}` });
    const answer = await call('add_note', { companyId: company.id, note: 'Hi' });
    expect(answer).toMatch(/^Error: The token lacks the scope "companies:create"\nAnother token/);
  });

  test('of the same write says that nothing new was done, and how to do it again', async () => {
    const { call } = await agent({ authorization: withToken });
    const note = { companyId: company.id, note: 'Gate code 12' };
    const notes = async () => {
      const page = await api.call('listCompanyNotes', { params: { companyId: company.id } });
      return page.notes.filter(({ value }) => value === note.note).length;
    };
    const first = await call('add_note', note);
    // In another order, it is the same call.
    const repeated = await call('add_note', { note: note.note, companyId: company.id });
    expect(repeated).toMatch(
      /^This was done before, by the same call, and nothing new was done\..* again: 2\./,
    );
    expect(repeated.endsWith(first)).toBe(true);
    expect(await notes()).toBe(1);
    expect(await call('add_note', { ...note, again: 2 })).toMatch(/^Noted: note \d+$/);
    expect(await notes()).toBe(2);
  });
});

describe('a request', () => {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const post = (path: string, more: Record<string, string> = {}) =>
    api.send('POST', path, { headers: { ...headers, ...more }, body });

  test('of a page of another website is refused', async () => {
    for (const origin of ['https://evil.example', 'null'])
      expect(await post('/mcp', { Origin: origin })).toMatchObject({
        status: 403,
        body: { error: { message: 'The request comes from a page of another website' } },
      });
    const own = await fetch(address(), {
      method: 'POST',
      headers: { ...headers, Origin: new URL(baseUrl).origin },
      body,
    });
    expect(own.status).toBe(200);
  });

  const message = (method: string, id: number) => ({ jsonrpc: '2.0', id, method, params: {} });
  const call = { ...message('tools/call', 2), params: { name: 'find_leads', arguments: {} } };
  const postBatch = async (messages: object[], before = '') => {
    const batch = before + JSON.stringify(messages);
    const response = await fetch(address(), { method: 'POST', headers, body: batch });
    return { status: response.status, text: await response.text() };
  };

  test.each([
    ['calls', [call, call], ''],
    ['a single call', [call], ''],
    ['other messages and a call', [message('ping', 1), call], ''],
    ['a call, after marks that a parser leaves out', [call], '\uFEFF\uFEFF'],
  ])('that is a batch of %s is refused', async (_, messages, before) => {
    const error = {
      code: -32600,
      message: 'A batch must have no tools/call: send each call of a tool in a separate request',
    };
    const { status, text } = await postBatch(messages, before);
    expect([status, JSON.parse(text)]).toEqual([400, { jsonrpc: '2.0', id: null, error }]);
  });

  test('that is a batch of other messages is answered', async () => {
    const { status, text } = await postBatch([message('ping', 1), message('tools/list', 2)]);
    expect([status, text]).toEqual([200, expect.stringMatching(/"id":1[^]*"tools":\[[^]*"id":2/)]);
  });

  test('for the server itself is answered with the version of the description', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'tests', version: '1' },
    };
    const asked = JSON.stringify({ ...message('initialize', 1), params });
    const answered = await fetch(address(), { method: 'POST', headers, body: asked });
    const { info } = (await (await fetch(`${baseUrl}/openapi`)).json()) as { info: { version: string } };
    expect(await answered.text()).toContain(
      `"serverInfo":{"name":"sales-pipeline-service","title":"Sales Pipeline Service","version":"${info.version}"`,
    );
  });

  test('for an unknown set of tools names those that there are', async () => {
    const message = 'tools must be receptionist or office';
    expect(await post('/mcp?tools=sales')).toMatchObject({ status: 400, body: { error: { message } } });
  });

  test.each(['GET', 'DELETE'])('by %s is refused, since there are no sessions', async (method) => {
    expect((await fetch(address(), { method, headers: { Accept: 'text/event-stream' } })).status).toBe(405);
  });
});

describe('the guide', () => {
  type Json = Record<string, unknown>;
  const blocks = blocksOf(guideOf('guides/agents', ours.code));
  const commands = blocks.flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
  const settings = blocks.flatMap(({ language, text }) =>
    language === 'json' ? [JSON.parse(text) as Json] : [],
  );
  /** Server that the command of Claude Code adds. */
  const added = (): Json => {
    const words = wordsOf(commands.find((command) => command.startsWith('claude ')) ?? '');
    const [name = '', value] = words[words.indexOf('--header') + 1]?.split(': ') ?? [];
    return { url: words.find((word) => word.startsWith('https:')), headers: { [name]: value } };
  };

  /** Objects at any depth that name an address. */
  const serversIn = (value: unknown): Json[] => {
    if (typeof value !== 'object' || value === null) return [];
    const own = value as Json;
    return 'url' in own || 'server_url' in own ? [own] : Object.values(own).flatMap(serversIn);
  };

  test.each(['Receptionist', 'Office'])('gives a token for all tools of the %s', async (name) => {
    const command = commands.find((one) => one.includes(`"name": "${name}"`)) ?? '';
    const { status, body } = await curl(command, { API: baseUrl, TOKEN: token });
    expect(status).toBe(201);
    const { token: issued } = v.parse(IssuedTokenEnvelope, body);
    const set = name.toLowerCase() as keyof typeof toolSets;
    const { list } = await agent({ set, authorization: `Bearer ${issued.value}` });
    expect((await list()).map((tool) => tool.name)).toEqual(toolSets[set].map((tool) => tool.name));
  });

  test('has settings by which six platforms come to their tools', async () => {
    const servers = [...settings.flatMap(serversIn), added()];
    expect(servers).toHaveLength(7);
    for (const {
      url,
      server_url: serverUrl = url,
      query_params: query = {},
      headers,
      request_headers: more,
    } of servers) {
      const target = new URL(String(serverUrl).replace('https://api.example.com', baseUrl));
      for (const [name, value] of Object.entries(query as Json)) target.searchParams.set(name, String(value));
      const { Authorization } = (headers ?? more) as Json;
      const shown = typeof Authorization === 'string' ? Authorization : JSON.stringify(Authorization);
      expect(shown).toMatch(
        /^(Bearer (YOUR_TOKEN|\$\{(env:)?SALES_PIPELINE_TOKEN\})|\{"secret_id":"YOUR_TOKEN_SECRET"\})$/,
      );
      expect(target.href.startsWith(address().href)).toBe(true);
      const set = target.searchParams.get('tools') as keyof typeof toolSets;
      expect((await (await agent({ set })).list()).length).toBe(toolSets[set].length);
    }
  });
});
