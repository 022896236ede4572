import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MachineClock } from '../../../infra/local/clock.ts';
import { temporaryFolder } from '../../../infra/local/data-folder.ts';
import { Machine } from '../../../infra/local/machine.ts';
import { httpServer, listen } from '../../../infra/local/server.ts';
import { errorEnvelope, sentences } from '../../../shared/contract/errors.ts';
import { Failure } from '../../../shared/core/failure.ts';
import { foundOrganizationAt } from '../../support/organizations.ts';
import { unshared } from '../../support/unthrottled.ts';

/** The synthesized template with small limits, on a machine whose clock the tests move. */
const perToken = 11;
const perKey = 10;
const burst = 20;
const settings = {
  webAcl: 'own',
  requestsPerTokenPerMinute: String(perToken),
  requestsPerKeyPerMinute: String(perKey),
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
  const keepText = () => undefined;
  machine = await Machine.start({ ...folder, settings, share: unshared, watch: false, clock, keepText });
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

/** Checks the answer to what is refused for being too much. */
function expectTooMany(answer: Answer, retryAfter: string): void {
  const { requestId } = answer;
  expect(requestId).toMatch(/^[a-z0-9-]+$/);
  const body = errorEnvelope(new Failure('throttled', sentences.throttled), requestId!);
  expect(answer).toEqual({ status: 429, retryAfter, requestId, body });
}

/** The statuses of so many requests, one after the other. */
async function statusesOf(times: number, path: string, token?: string): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < times) statuses.push((await get(path, token)).status);
  return statuses;
}

describe('the web ACL of the stack, at its rate of a token', () => {
  test('refuses a token beyond it until the window has passed, and no other token', async () => {
    const [ours, theirs] = [await newToken(), await newToken()];
    expect(await statusesOf(perToken, '/v1/leads', ours)).toEqual(Array(perToken).fill(200));
    expectTooMany(await get('/v1/inquiries', ours), '60');
    expect((await get('/v1/leads', theirs)).status).toBe(200);
    clock.moveBy(30_000);
    expect((await get('/v1/leads', ours)).status).toBe(429);
    clock.moveBy(60_000);
    expect((await get('/v1/leads', ours)).status).toBe(200);
  });

  test('refuses a key in the query likewise, at a rate of its own', async () => {
    expect(await statusesOf(perKey, '/v1/nothing?key=one')).toEqual(Array(perKey).fill(404));
    expectTooMany(await get('/v1/nothing?q=1&KEY=%6fne'), '60');
    expect((await get('/v1/nothing?key=two')).status).toBe(404);
    clock.moveBy(61_000);
    expect((await get('/v1/nothing?key=one')).status).toBe(404);
  });
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

test('the stage throttles what is beyond its burst, and takes more as time goes by', async () => {
  const answers = await Promise.all(Array.from({ length: 3 * burst }, () => get('/openapi')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(burst);
  expect(refused.length).toBeGreaterThan(burst);
  expectTooMany(refused[0]!, '1');
  clock.moveBy(1000);
  expect((await get('/openapi')).status).toBe(200);
});

test('a function runs no more at once than is reserved for it: API Gateway answers 500 then', async () => {
  const token = await newToken();
  await get('/v1/leads', token);
  const answers = await Promise.all([get('/v1/policies', token), get('/v1/policies', token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
  expect(answers.find(({ status }) => status === 500)?.body).toMatchObject({ error: { status: 500 } });
  expect((await get('/v1/policies', token)).status).toBe(200);
});
