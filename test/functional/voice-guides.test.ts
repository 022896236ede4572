import { createHmac } from 'node:crypto';
import { isDeepStrictEqual as isEqual } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { answerTo, blocksOf, curl, guideOf, isAs, type CurlAnswer } from '../support/docs/guide.ts';
import { playGuide, type Kept } from '../support/docs/play-guide.ts';
import { eventsOfCall, spokenInCall, voiceEvent } from '../support/voice/events.ts';
import { newOrganization, type TestOrganization } from '../support/test-organization.ts';
import { patience } from '../support/patience.ts';

/*
 * The guide for voice platforms, played against the service: as each platform would send what its settings say. Every block of JSON is
 * used.
 */

type Json = Record<string, unknown>;

const address = 'https://api.example.com';
const secret = 'a-secret-of-32-characters-or-more';
const hmac = (signed: string) => createHmac('sha256', secret).update(signed).digest('hex');

/** Values that a model would fill in, by the names of the parameters. */
type Filled = Json;

/** Request of a platform for a tool. */
interface ToolRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** A tool as the guide describes it for all platforms. */
interface Tool {
  name: string;
  description: string;
  method: string;
  url: string;
  parameters: { type: 'object'; properties: Record<string, Json>; required: string[] };
}

interface Platform {
  name: 'Retell' | 'Vapi' | 'ElevenLabs';
  /** Names of the recorded events that the guide shows in part, in their order. */
  events: readonly string[];
  ringing: string;
  /** Settings of a tool in the platform's form, by the rule that the guide states. */
  settingsOf: (tool: Tool) => Json;
  /** Request for a tool, as the platform makes it from its settings and from what the model has filled in. */
  request: (tool: Json, filled: Filled) => ToolRequest;
  /** Headers with the platform's signature of an event. */
  sign: (text: string) => Record<string, string>;
  /** Headers of the question while a call rings. */
  signRinging: (text: string) => Record<string, string>;
}

/** Value of a schema of JSON: its constant, or what the model has filled in. */
function valueOf(schema: Json, name: string, filled: Filled): unknown {
  const constant = schema['const'] ?? schema['constant_value'];
  if (constant !== undefined) return constant;
  if (schema['type'] !== 'object') return filled[name];
  return objectOf(schema, filled);
}

const objectOf = ({ properties = {} }: { properties?: unknown }, filled: Filled): Json =>
  Object.fromEntries(
    Object.entries(properties as Record<string, Json>).map(([name, schema]) => [
      name,
      valueOf(schema, name, filled),
    ]),
  );

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const json = { 'Content-Type': 'application/json' };
const withQuery = (url: string, query: Json): string =>
  `${url}?${new URLSearchParams(query as Record<string, string>).toString()}`;

function retellSettings({ parameters, ...tool }: Tool): Json {
  const texts = Object.entries(parameters.properties).map(([name, { const: constant, description }]) => [
    name,
    constant ?? description,
  ]);
  return {
    type: 'custom',
    ...tool,
    headers: bearer('YOUR_TOKEN'),
    ...(tool.method === 'GET'
      ? { query_params: Object.fromEntries(texts) as Json }
      : { args_at_root: true, parameters }),
    timeout_ms: 10_000,
    speak_after_execution: true,
  };
}

function vapiSettings({ parameters: { properties }, url, ...tool }: Tool): Json {
  const isFixed = ([, schema]: [string, Json]) => 'const' in schema || isEqual(schema['properties'], {});
  const fixed = Object.entries(properties).filter(isFixed);
  const filled = Object.entries(properties).filter((one) => !isFixed(one));
  const query = [
    ...fixed.map(([name, schema]) => `${name}=${String(schema['const'])}`),
    ...filled.map(([name]) => `${name}={{ ${name} | url_encode }}`),
  ];
  const isGet = tool.method === 'GET';
  return {
    type: 'apiRequest',
    ...tool,
    url: isGet ? `${url}?${query.join('&')}` : url,
    credentialId: 'YOUR_TOKEN_CREDENTIAL',
    timeoutSeconds: 10,
    body: { type: 'object', properties: Object.fromEntries(filled), required: filled.map(([name]) => name) },
    ...(!isGet && { parameters: fixed.map(([key, schema]) => ({ key, value: schema['const'] ?? {} })) }),
  };
}

function elevenLabsSettings({ name, description, url, method, parameters }: Tool): Json {
  const properties = Object.fromEntries(
    Object.entries(parameters.properties).map(([key, { const: constant, ...schema }]) => [
      key,
      constant === undefined ? schema : { ...schema, constant_value: constant },
    ]),
  );
  const { type, required } = parameters;
  return {
    type: 'webhook',
    name,
    description,
    response_timeout_secs: 10,
    api_schema: {
      url,
      method,
      request_headers: { Authorization: { secret_id: 'YOUR_TOKEN_SECRET' } },
      ...(method === 'GET'
        ? { query_params_schema: { properties, required } }
        : { request_body_schema: { type, properties, required } }),
    },
  };
}

function retellRequest(tool: Json, filled: Filled): ToolRequest {
  const { url, method, headers, query_params, parameters, args_at_root } = tool as Record<string, string>;
  const request = { method: method!, headers: { ...(headers as unknown as Record<string, string>) } };
  if (method === 'GET') {
    const query = Object.entries(query_params as unknown as Json).map(([name, text]) => [
      name,
      filled[name] ?? text,
    ]);
    return { ...request, url: withQuery(url!, Object.fromEntries(query) as Json) };
  }
  expect(args_at_root).toBe(true);
  return { ...request, url: url!, body: objectOf(parameters as unknown as Json, filled) };
}

function vapiRequest(tool: Json, filled: Filled): ToolRequest {
  const {
    url,
    method,
    body,
    parameters = [],
  } = tool as unknown as {
    url: string;
    method: string;
    body: Json;
    parameters?: { key: string; value: unknown }[];
  };
  expect(tool['credentialId']).toBe('YOUR_TOKEN_CREDENTIAL');
  const model = objectOf(body, filled);
  const headers = bearer('YOUR_TOKEN');
  const inUrl = url.replaceAll(/\{\{ (\w+)( \| url_encode)? \}\}/g, (_, name: string, isEncoded?: string) =>
    isEncoded === undefined ? String(model[name]) : encodeURIComponent(String(model[name])),
  );
  if (method === 'GET') return { url: inUrl, method, headers };
  const fixed = Object.fromEntries(parameters.map(({ key, value }) => [key, value]));
  return { url: inUrl, method, headers, body: { ...model, ...fixed } };
}

function elevenLabsRequest(tool: Json, filled: Filled): ToolRequest {
  const { url, method, request_headers, query_params_schema, request_body_schema } = tool[
    'api_schema'
  ] as Record<string, string>;
  expect(request_headers).toEqual({ Authorization: { secret_id: 'YOUR_TOKEN_SECRET' } });
  const headers = bearer('YOUR_TOKEN');
  const query = query_params_schema as unknown as Json | undefined;
  const body = request_body_schema as unknown as Json | undefined;
  return {
    method: method!,
    headers,
    url: query ? withQuery(url!, objectOf(query, filled)) : url!,
    ...(body && { body: objectOf(body, filled) }),
  };
}

const seconds = () => Math.floor(Date.now() / 1000);
const signVapi = (text: string, now = String(Date.now())) => ({
  'X-Signature': hmac(`${now}.${text}`),
  'X-Timestamp': now,
});
const signRetell = (text: string, now = Date.now()) => ({
  'X-Retell-Signature': `v=${now},d=${hmac(`${text}${now}`)}`,
});

const platforms: Platform[] = [
  {
    name: 'Retell',
    ringing: 'retell-ringing',
    events: eventsOfCall.retell,
    settingsOf: retellSettings,
    request: retellRequest,
    sign: signRetell,
    signRinging: signRetell,
  },
  {
    name: 'Vapi',
    ringing: 'vapi-ringing',
    events: eventsOfCall.vapi,
    settingsOf: vapiSettings,
    request: vapiRequest,
    sign: signVapi,
    signRinging: signVapi,
  },
  {
    name: 'ElevenLabs',
    ringing: 'elevenlabs-ringing',
    events: [...eventsOfCall.elevenlabs, 'elevenlabs-failure-sip'],
    settingsOf: elevenLabsSettings,
    request: elevenLabsRequest,
    sign: (text, now = seconds()) => ({ 'ElevenLabs-Signature': `t=${now},v0=${hmac(`${now}.${text}`)}` }),
    // The value of a header is the text of a secret of the workspace.
    signRinging: () => ({ Authorization: secret }),
  },
];

/** True if another value has everything that a value shows. A list may show some of the members. */
function isPartOf(shown: unknown, whole: unknown): boolean {
  if (Array.isArray(shown))
    return Array.isArray(whole) && shown.every((one) => whole.some((other) => isPartOf(one, other)));
  if (typeof shown !== 'object' || shown === null) return shown === whole;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(shown).every(([name, value]) => isPartOf(value, Reflect.get(whole, name)));
}

/** Makes what the guide of the receptionist makes, for a lead who is known. */
async function configure({ api }: TestOrganization): Promise<void> {
  const service = { name: 'Clearing a drain', tradeCategoryId: 1, duration: 90 };
  await api.call('createService', { body: service });
  await api.call('createFaq', {
    body: { question: 'Do you work on weekends?', answer: 'Emergencies only.' },
  });
  await api.call('createTransfer', {
    body: {
      label: 'Bursts',
      method: 'WARM',
      destinationType: 'PHONE_NUMBER',
      destination: '0491 570 006',
      conditions: 'Water is running and cannot be turned off',
    },
  });
}

/**
 * The requests of the guide that issue and change keys, each with the values to keep of its answer.
 */
const keysIn = (guide: string): string =>
  [...guide.matchAll(/^```sh\ncurl [^`]+\/v1\/tokens[^`]+^```$|`token\.\w+` as `\w+`/gm)]
    .map(([part]) => part)
    .join('\n\n');

/** Parts of the guide that are about all platforms, and about one. */
function guideFor(name: string, code: string): string {
  const [common, ...sections] = guideOf('guides/voice-platforms', code).split(
    /^## (?=(?:Retell|Vapi|ElevenLabs)$)/m,
  );
  return `${common!}${sections.find((section) => section.startsWith(name))!}`;
}

describe.each(platforms)('the guide for voice platforms, on $name,', (platform) => {
  test('leads to a call that books an appointment, and leaves its transcript', async () => {
    const organization = await newOrganization();
    await configure(organization);
    const guide = guideFor(platform.name, organization.code);
    const kept: Kept = {
      API: inject('baseUrl'),
      TOKEN: organization.token,
      SECRET: secret,
      WEBHOOK_SECRET: secret,
    };
    await playGuide(keysIn(guide), 'js', kept);
    const keyOf = (name: string) => String(kept[name]);
    const token = keyOf('TOOLS_TOKEN');
    const filledIn = (text: string) =>
      text
        .replaceAll(address, inject('baseUrl'))
        .replaceAll('YOUR_CALLS_KEY', keyOf('CALLS_KEY'))
        .replaceAll('YOUR_ANSWER_KEY', keyOf('ANSWER_KEY'))
        .replaceAll('YOUR_TOKEN_', 'TOKEN_OF_')
        .replaceAll('YOUR_TOKEN', token)
        .replaceAll('TOKEN_OF_', 'YOUR_TOKEN_');
    const blocks = blocksOf(guide);
    const shown = blocks
      .filter(({ language }) => language === 'json')
      .map(({ text }) => JSON.parse(filledIn(text)) as Json);
    const unused = new Set(shown);
    const take = (isWanted: (json: Json) => boolean): Json[] => {
      const found = [...unused].filter(isWanted);
      for (const one of found) unused.delete(one);
      return found;
    };
    const post = async (url: string, body: unknown, sign: (text: string) => Record<string, string>) => {
      const text = JSON.stringify(body);
      const headers = { ...json, ...sign(text) };
      return answerTo(await fetch(url, { method: 'POST', headers, body: text }));
    };

    // The addresses of both webhooks.
    const addresses = new Map<string, string>();
    take((settings) => {
      const [url] = /http[^"]+\?[^"]*key=[^"]+/.exec(JSON.stringify(settings)) ?? [];
      if (url !== undefined) addresses.set(new URL(url).pathname, url);
      return url !== undefined;
    });
    const eventsUrl = addresses.get('/v1/calls/events') ?? '';
    const ringingUrl = addresses.get('/v1/receptionist/ringing') ?? '';

    // A call rings.
    const [asked] = take((one) => isPartOf(one, voiceEvent(platform.ringing)));
    const [all] = take((one) => 'business_name' in one);
    const [, prompt = ''] = /^```\n(You answer[\s\S]+?)^```$/m.exec(guide) ?? [];
    expect(prompt).toContain('{{knowledge}}');
    expect(Object.keys(all!)).toEqual(
      expect.arrayContaining([...prompt.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)),
    );
    const [shortened] = take((one) => JSON.stringify(one).includes('"business_name"'));
    const answer: unknown = JSON.parse(JSON.stringify(shortened), (_, part: unknown) =>
      typeof part === 'object' && part !== null && 'business_name' in part ? all : part,
    );
    const ring = async () => {
      const { status, body } = await post(ringingUrl, asked, platform.signRinging);
      return [status, isAs(body, answer) ? answer : body];
    };
    // A slow machine may need several calls until it has read everything in time.
    await expect.poll(ring, { timeout: patience }).toEqual([200, answer]);
    expect((await post(ringingUrl, asked, () => ({}))).status).toBe(403);

    // The agent uses its tools.
    const described = take((one) => 'parameters' in one && !('type' in one)) as unknown as Tool[];
    const settingsOf = (tool: Tool): Json =>
      JSON.parse(filledIn(JSON.stringify(platform.settingsOf(tool)))) as Json;
    const tools = new Map(described.map((tool) => [tool.name, settingsOf(tool)]));
    const examples = take((one) => tools.has(String(one['name'])));
    expect(examples).toEqual([tools.get('find_route'), tools.get('take_message')]);
    const use = async (name: string, filled: Filled): Promise<CurlAnswer> => {
      const { url, method, headers, body } = platform.request(tools.get(name) ?? {}, filled);
      const sent = Object.fromEntries(
        Object.entries(headers).map(([header, value]) => [header, value.replace('YOUR_TOKEN', token)]),
      );
      const asJson = body !== undefined && { body: JSON.stringify(body) };
      return answerTo(await fetch(url, { method, headers: { ...json, ...sent }, ...asJson }));
    };
    const from = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const free = await use('find_free_times', { serviceId: 1, from });
    const { slots } = free.body as { slots: { start: string; userIds: string[] }[] };
    const { start, userIds } = slots[0]!;
    const lead = { name: 'Jane Doe', phone: '+14155550123' };
    const booking = {
      title: 'Clearing a drain',
      tradeServiceId: 1,
      start,
      ...lead,
    };
    const booked = await use('book_appointment', booking);
    expect(booked).toMatchObject({ status: 201, body: { start } });
    expect((await use('book_appointment', booking)).status).toBe(409);
    expect(await use('find_route', { topic: 'a burst pipe & a flood' })).toMatchObject({
      status: 200,
      body: { say: 'I can put you through now.', number: '+61491570006' },
    });
    expect(await use('answer_question', { q: 'on a weekend?' })).toMatchObject({
      status: 200,
      body: { say: 'Emergencies only.' },
    });
    expect(await use('take_message', { summary: 'Call back', ...lead })).toMatchObject({
      status: 201,
      body: { say: 'Thank you, your message is noted.' },
    });

    // The call ends.
    const whole = platform.events.map(voiceEvent);
    const events = take((one) => whole.some((event) => isPartOf(one, event)));
    expect(events).toHaveLength(platform.events.length);
    for (const event of events) {
      const { status, body } = await post(eventsUrl, event, platform.sign);
      expect({ status, body }).toEqual({ status: 200, body: { stored: true } });
      expect((await post(eventsUrl, event, () => ({}))).status).toBe(403);
    }

    // Somebody tries it by hand.
    const command = blocks.findLast(({ text }) => text.startsWith('curl'))?.text ?? '';
    const tried = await curl(command, kept);
    expect(tried.status).toBe(200);
    expect(take((one) => 'stored' in one)).toEqual([tried.body]);
    expect([...unused]).toEqual([]);

    const { api } = organization;
    const { appointments } = await api.call('listAppointments');
    expect(appointments).toMatchObject([
      { start, title: 'Clearing a drain', attendees: userIds.slice(0, 1) },
    ]);
    const { inquiries } = await api.call('listInquiries', { query: { expand: 'external' } });
    const wanted = JSON.stringify(events);
    const call = inquiries.find(
      ({ externalInquiryId, summary }) =>
        summary.includes('Friday') && wanted.includes(externalInquiryId ?? '-'),
    );
    const inquiry = await api.call('getInquiry', { params: { inquiryId: call!.id } });
    if (inquiry.source !== 'CALL') throw new Error('It is no call');
    expect(inquiry.data.transcripts.map(({ user, text }) => [user, text])).toEqual(spokenInCall);
    expect(inquiry.leadId).toBe(appointments[0]!.leadId);
  });
});
