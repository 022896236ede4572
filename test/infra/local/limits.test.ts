import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MachineClock } from '../../../infra/local/clock.ts';
import { costOf } from '../../../infra/local/cost.ts';
import { temporaryFolder } from '../../../infra/local/data-folder.ts';
import { Machine } from '../../../infra/local/machine.ts';
import type { HttpRequest } from '../../../infra/local/http-message.ts';
import { httpServer, listen } from '../../../infra/local/server.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import { errorEnvelope, sentences } from '../../../shared/contract/errors.ts';
import { Failure } from '../../../shared/core/failure.ts';
import { newToken as madeUpToken } from '../../../shared/domain/tokens/token.ts';
import { foundOrganizationAt } from '../../support/organizations.ts';
import { unshared } from '../../support/unthrottled.ts';

/** The synthesized template with small limits, on a machine whose clock the tests move. */
const perToken = 13;
const perKey = 12;
const perKeyAndAddress = 10;
const burst = 20;
const refusedTokens = 5;
const settings = {
  webAcl: 'own',
  requestsPerTokenPerMinute: String(perToken),
  requestsPerKeyPerMinute: String(perKey),
  requestsPerKeyAndAddressPerMinute: String(perKeyAndAddress),
  refusedTokensPerAddressPerMinute: String(refusedTokens),
  requestsPerSecond: '1',
  requestBurst: String(burst),
  reservedConcurrency: 'listPolicies:1',
};
const clock = new MachineClock();
const folder = temporaryFolder();
let machine: Machine;
let baseUrl: string;
const server = httpServer(
  (request) => machine.answer(request),
  () => undefined,
);
beforeAll(async () => {
  const keepSms = () => undefined;
  machine = await Machine.start({ ...folder, settings, share: unshared, watch: false, clock, keepSms });
  baseUrl = `http://localhost:${await listen(server, 0)}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await machine.close();
  folder.release();
});

interface Answer {
  status: number;
  retryAfter: string | null;
  requestId: string | null;
  body: unknown;
}

async function get(path: string, token?: string): Promise<Answer> {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${baseUrl}${path}`, headers && { headers });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    requestId: answer.headers.get('x-request-id'),
    body: await answer.json(),
  };
}

const newToken = async () => {
  const table = { endpoint: machine.engine.endpoint, tableName: machine.tableName };
  return (await foundOrganizationAt(table)).token;
};

/** Checks the answer to a request beyond a limit. */
function expectTooMany(answer: Answer, retryAfter: string): void {
  const { requestId } = answer;
  expect(requestId).toMatch(/^[a-z0-9-]+$/);
  const body = errorEnvelope(new Failure('throttled', sentences.throttled), requestId!);
  expect(answer).toEqual({ status: 429, retryAfter, requestId, body });
}

/** Statuses of several requests, one after the other. */
async function statusesOf(times: number, path: string, token?: string): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < times) statuses.push((await get(path, token)).status);
  return statuses;
}

describe('the web ACL of the stack, at its rate of a token', () => {
  test('refuses a token beyond its rate until the window has passed, and no other token', async () => {
    const [ours, theirs] = [await newToken(), await newToken()];
    expect(await statusesOf(perToken, '/v1/leads', ours)).toEqual(Array(perToken).fill(200));
    expectTooMany(await get('/v1/inquiries', ours), '60');
    expect((await get('/v1/leads', theirs)).status).toBe(200);
    clock.moveBy(30_000);
    expect((await get('/v1/leads', ours)).status).toBe(429);
    clock.moveBy(60_000);
    expect((await get('/v1/leads', ours)).status).toBe(200);
  });
});

/** Headers with which AWS WAF lets scripts of web pages read its answer. */
const readable = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
};

describe('the web ACL of the stack, at the rates of a key', () => {
  const forms = '/v1/forms/submissions';
  const newKey = async () => {
    const table = { endpoint: machine.engine.endpoint, tableName: machine.tableName };
    const organization = await foundOrganizationAt(table);
    return organization.issueToken({ scopes: ['forms:submit'], sites: ['https://a.example'] });
  };
  let visitors = 0;
  const newAddress = () => `198.51.100.${++visitors}`;
  const send = (query: string, { path = forms, method = 'POST', from = newAddress() } = {}) =>
    machine.answer({
      method,
      target: `${path}?${query}`,
      headers: [['content-type', 'application/x-www-form-urlencoded']],
      body: Buffer.from('name=Ann'),
      sourceIp: from,
    });
  const statusesFrom = async (from: string, times: number, ...[query, more]: Parameters<typeof send>) => {
    const statuses: number[] = [];
    while (statuses.length < times) statuses.push((await send(query, { ...more, from })).status);
    return statuses;
  };

  test('refuses one visitor, in a way that scripts can read, and no other', async () => {
    const key = await newKey();
    const [robot, query] = [newAddress(), `key=${key}`];
    const within = Array<number>(perKeyAndAddress).fill(201);
    expect(await statusesFrom(robot, perKeyAndAddress, query)).toEqual(within);
    const written = ['//v1/forms//submissions/', '/v1/x/../%66orms/submissions'];
    for (const path of [forms, ...written]) {
      const { status, headers } = await send(`q=1&key=${key.replace('s', '%73')}`, { path, from: robot });
      expect({ status, headers }).toMatchObject({
        status: 429,
        headers: { 'Retry-After': '60', ...readable },
      });
    }
    expect((await send(query)).status).toBe(201);
    clock.moveBy(61_000);
  });

  test('counts only requests that take a key, and refuses all addresses beyond their common limit', async () => {
    const key = await newKey();
    const query = `key=${key}`;
    const robot = newAddress();
    for (const elsewhere of [{ path: '/v1/nothing' }, { method: 'OPTIONS' }])
      expect(await statusesFrom(robot, perKey + 1, query, elsewhere)).not.toContain(429);
    for (let at = 0; at < perKey; at++) expect((await send(query)).status).toBe(201);
    expect((await send(query)).headers).toMatchObject({ 'X-Request-Id': 'rate-limited', ...readable });
    expect((await send(`key=${await newKey()}`)).status).toBe(201);
    clock.moveBy(61_000);
    expect((await send(query)).status).toBe(201);
  });

  test('refuses a second key in any case, so that no made-up one counts instead', async () => {
    const key = await newKey();
    const refused = [
      ...[`KEY=x&key=${key}`, `key=${key}&key=x`, `%4bey=x&key=${key}`, `k%45Y&a=1&ke%79=${key}`],
      ...[`key=${key};Key=x`, `\u212Aey=x&key=${key}`.replace('\u212A', '%E2%84%AA'), `key&key=${key}`],
    ];
    for (const query of refused) {
      const { status, headers, body } = await send(query);
      expect({ status, headers }, query).toMatchObject({
        status: 400,
        headers: { 'X-Request-Id': 'several-keys', ...readable },
      });
      const failure = new Failure('invalid', sentences.otherKey);
      expect(JSON.parse(body)).toEqual(errorEnvelope(failure, 'several-keys'));
    }
    const fields = ['monkey=1', 'key2=1', 'utm=%26key%3Dx', 'keys=1&hotkey=2'];
    for (const field of fields) expect((await send(`key=${key}&${field}`)).status, field).toBe(201);
  });

  test('raises the alarm if the rate of a key refuses requests', async () => {
    const key = await newKey();
    for (let at = 0; at <= perKey; at++) await send(`key=${key}`);
    clock.moveBy(60_000 - (clock.now() % 60_000));
    await expect
      .poll(() => machine.alarms.find(({ name }) => name.endsWith('RefusedKeys'))?.state)
      .toBe('ALARM');
  });
});

test("scripts can read API Gateway's own responses to a form", async () => {
  const answers = await Promise.all(
    Array.from({ length: 2 * burst }, (_, at) =>
      machine.answer({
        method: 'POST',
        target: '/v1/forms/submissions?key=none',
        headers: [],
        body: Buffer.alloc(0),
        sourceIp: `203.0.113.${at}`,
      }),
    ),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([401, 429]);
  for (const { headers } of answers) expect(headers).toMatchObject(readable);
  clock.moveBy(61_000);
});

test('the web ACL refuses an address that makes up tokens, and no other address', async () => {
  const target = '/v1/nothing';
  const requestFrom = (sourceIp: string, at: number) =>
    machine.answer({
      method: 'GET',
      target,
      headers: [['authorization', `Bearer sk_live_${String(at).padStart(36, '0')}`]],
      body: Buffer.alloc(0),
      sourceIp,
    });
  for (let at = 0; at < 10 * perToken; at++) {
    const { headers } = await requestFrom('192.0.2.1', at);
    expect(headers['X-Request-Id']).not.toBe('rate-limited');
  }
  const { status, headers } = await requestFrom('192.0.2.1', -1);
  expect({ status, headers }).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '60', 'X-Request-Id': 'rate-limited' },
  });
  expect((await requestFrom('192.0.2.2', -1)).headers['X-Request-Id']).not.toBe('rate-limited');
  clock.moveBy(61_000);
});

describe.each<[string, Scope[], (token: string) => Pick<HttpRequest, 'method' | 'target' | 'headers'>]>([
  [
    'in the header',
    ['read'],
    (token) => ({ method: 'GET', target: '/v1/leads', headers: [['authorization', `Bearer ${token}`]] }),
  ],
  [
    'as a key',
    ['forms:submit'],
    (key) => ({ method: 'POST', target: `/v1/forms/submissions?key=${key}`, headers: [] }),
  ],
])('an address that makes up tokens with a right checksum %s', (_, scopes, requestOf) => {
  const robot = '192.0.2.10';
  /** Sends a request with a token. Returns whether it was allowed, and the number of reads. */
  const send = async (token: string, sourceIp = robot) => {
    const request = { ...requestOf(token), body: Buffer.from('{"name":"Ann"}'), sourceIp };
    const { status, outcomes } = await machine.answer(request);
    return [status < 300 ? 'let in' : status, costOf(outcomes).authorizer.readUnits];
  };
  const toNextMinute = () => {
    clock.moveBy(60_000 - (clock.now() % 60_000));
  };
  const newOnes = async (number: number) => {
    const table = { endpoint: machine.engine.endpoint, tableName: machine.tableName };
    const organization = await foundOrganizationAt(table);
    return Promise.all(Array.from({ length: number }, () => organization.issueToken({ scopes })));
  };

  test('costs a few reads a minute, and blocks neither known tokens nor other addresses', async () => {
    const [known = '', fresh = '', later = ''] = await newOnes(3);
    expect(await send(known)).toEqual(['let in', 1]);
    toNextMinute();
    toNextMinute();
    const madeUp = Array.from({ length: refusedTokens + 3 }, () => madeUpToken('test', randomBytes));
    // The same invalid token counts once.
    for (let at = 0; at <= refusedTokens; at++) await send(madeUp[0]!);
    const seen: unknown[] = [];
    for (const token of madeUp.slice(1)) seen.push(await send(token));
    expect(seen).toEqual([
      ...Array<unknown>(refusedTokens - 1).fill([401, 1]),
      ...Array<unknown>(3).fill([401, 0]),
    ]);
    expect(await send(fresh)).toEqual([401, 0]);
    expect(await send(known)).toEqual(['let in', 1]);
    expect(await send(fresh, '192.0.2.11')).toEqual(['let in', 1]);
    toNextMinute();
    expect(await send(later)).toEqual(['let in', 1]);
  });
});

test('the stage throttles requests beyond its burst, and accepts more as time goes by', async () => {
  const answers = await Promise.all(Array.from({ length: 3 * burst }, () => get('/openapi')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(burst);
  expect(refused.length).toBeGreaterThan(burst);
  expectTooMany(refused[0]!, '1');
  clock.moveBy(1000);
  expect((await get('/openapi')).status).toBe(200);
});

test('a function has no more than its reserved concurrency: API Gateway then answers 500', async () => {
  const token = await newToken();
  await get('/v1/leads', token);
  const answers = await Promise.all([get('/v1/policies', token), get('/v1/policies', token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
  expect(answers.find(({ status }) => status === 500)?.body).toMatchObject({ error: { status: 500 } });
  expect((await get('/v1/policies', token)).status).toBe(200);
});
