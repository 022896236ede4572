import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { Scope } from '../../../shared/contract/scopes.ts';
import { hashToken, newToken } from '../../../shared/domain/tokens/token.ts';
import { listTokens, revokeToken } from '../../../shared/domain/tokens/tokens.ts';
import { callCosts } from '../../support/call-costs.ts';
import {
  newOrganization,
  newStore,
  engine,
  limits,
  type TestOrganization,
} from '../../support/test-organization.ts';
import { contextWith, linesOf } from './invocation.ts';

type Authorizer = (
  event: APIGatewayRequestAuthorizerEvent,
  context: Context,
) => Promise<APIGatewayAuthorizerResult>;

const maxRefused = 4;
const namespace = 'SalesPipeline-test';
let handler: Authorizer;
let organization: TestOrganization;
beforeAll(async () => {
  vi.stubEnv('METRICS_NAMESPACE', namespace);
  vi.stubEnv('TABLE_NAME', inject('tableName'));
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', engine.endpoint);
  vi.stubEnv('KEYED_PATHS', '/v1/other /v1/forms/submissions');
  vi.stubEnv('REFUSED_TOKENS_PER_MINUTE', String(maxRefused));
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  organization = await newOrganization();
  // The module reads the table's name and the address when it is loaded.
  ({ handler } = await import('../../../functions/authorizer/authorize.ts'));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

interface Options {
  remaining?: number;
  sourceIp?: string;
}

let addresses = 0;
/** Returns a new address, so that tests do not share a limit of refused tokens. */
const newAddress = () => `198.51.100.${++addresses}`;

/** Calls the authorizer as API Gateway would. Returns its answer or its error, and the one line of log. */
async function ask(parts: object, { remaining = 15_000, sourceIp = newAddress() }: Options = {}) {
  const requestContext = { identity: { sourceIp } };
  const event = {
    type: 'REQUEST',
    headers: null,
    requestContext,
    ...parts,
  } as unknown as APIGatewayRequestAuthorizerEvent;
  const { result, lines } = await linesOf(() => Promise.allSettled([handler(event, contextWith(remaining))]));
  expect(lines).toHaveLength(1);
  return { outcome: result[0], line: JSON.parse(lines[0]!) as Record<string, unknown> };
}

const stageArn = 'arn:aws:execute-api:us-east-1:000000000000:api/dev';

/** Calls the authorizer with these headers. */
const askFor = (headers: Record<string, string>, options?: Options) =>
  ask({ methodArn: `${stageArn}/GET/v1/leads`, resource: '/v1/leads', headers }, options);

/** Calls the authorizer with a token in the header `Authorization`. */
async function authorize(token: string, options?: Options) {
  const answer = await askFor({ authorization: `Bearer ${token}` }, options);
  expect(JSON.stringify(answer.line)).not.toContain(token);
  return answer;
}

/** Calls the authorizer with these values of the query's `key`. */
async function authorizeKeys(...keys: string[]) {
  const event = {
    methodArn: `${stageArn}/POST/v1/forms/submissions`,
    resource: '/v1/forms/submissions',
    queryStringParameters: { key: keys.at(-1) },
    multiValueQueryStringParameters: { key: keys },
  };
  const answer = await ask(event);
  for (const key of keys) if (key !== '') expect(JSON.stringify(answer.line)).not.toContain(key);
  return answer;
}

const cost = { writeUnits: 0, transactions: 0, writes: 0 };
const embedded = (...Metrics: { Name: string; Unit: string }[]) => ({
  Timestamp: expect.any(Number) as number,
  CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics }],
});

test('the first use of a token on a day is noted', async () => {
  const lastUse = async () => (await newStore().grantOf(hashToken(token), limits()))?.lastUsedOn;
  const token = await organization.issueToken({ scopes: ['read'] });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2031-03-03T23:59:00Z') });
  const [calls, , writeUnits] = callCosts.noteUse;
  const first = { status: 200, calls: callCosts.authorize[0] + calls, writeUnits };
  expect((await authorize(token)).line).toMatchObject(first);
  expect(await lastUse()).toBe('2031-03-03');
  expect((await authorize(token)).line).toMatchObject({ status: 200, calls: callCosts.authorize[0] });
  vi.setSystemTime('2031-03-04T00:00:00Z');
  expect((await authorize(token)).line).toMatchObject(first);
  vi.useRealTimers();
});

test('a valid token leaves one line of log with its organization, its cost and its duration', async () => {
  await authorize(organization.token);
  const { outcome, line } = await authorize(organization.token);
  const [calls, readUnits] = callCosts.authorize;
  expect(outcome).toMatchObject({ value: { context: { organization: organization.code } } });
  expect(line).toEqual({
    level: 'info',
    requestId: 'lambda-1',
    operation: 'authorize',
    organization: organization.code,
    status: 200,
    milliseconds: expect.any(Number) as number,
    calls,
    readUnits,
    ...cost,
    _aws: embedded({ Name: 'readUnits', Unit: 'Count' }, { Name: 'milliseconds', Unit: 'Milliseconds' }),
  });
});

test('an invalid token leaves one line of log without a metric', async () => {
  const { outcome, line } = await authorize('sk_live_x');
  expect(outcome).toMatchObject({ reason: { message: 'Unauthorized' } });
  expect(line).toMatchObject({ level: 'info', status: 401, calls: 0 });
  expect(line).not.toHaveProperty('_aws');
});

test('a token that cannot be read in time fails, and the line has no metric and no data of the error', async () => {
  const { outcome, line } = await authorize(organization.token, { remaining: 1000 });
  // Lambda logs every field of what is thrown.
  const reason = new Error('The token could not be checked: the line of log says why');
  expect(outcome).toStrictEqual({ status: 'rejected', reason });
  expect(line).toMatchObject({ level: 'error', status: 500, refusals: 1, error: { name: 'Failure' } });
  // The access log counts the answer, a 500.
  expect(line).not.toHaveProperty('_aws');
});

const sites = ['https://a.example', 'http://localhost:8080'];
const issueKey = (changes: { scopes?: Scope[]; expiresAt?: string } = {}) =>
  organization.issueToken({ scopes: ['forms:submit'], sites, ...changes });

describe('a key', () => {
  test('is granted its scopes and its sites by a single read', async () => {
    const key = await issueKey({ expiresAt: '2999-01-01T00:00:00.000Z' });
    const { outcome, line } = await authorizeKeys(key);
    const { code, userId } = organization;
    expect(outcome).toEqual({
      status: 'fulfilled',
      value: {
        principalId: userId,
        policyDocument: {
          Version: '2012-10-17',
          Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stageArn}/*` }],
        },
        context: {
          organization: code,
          userId,
          scopes: 'forms:submit',
          sites: 'https://a.example http://localhost:8080',
          tokenId: expect.stringMatching(/^[1-9]\d*$/) as string,
        },
      },
    });
    expect(line).toMatchObject({ operation: 'authorize', organization: code, status: 200, readUnits: 1 });
  });

  test('is found in an event that has only the last value of each parameter', async () => {
    const queryStringParameters = { key: await issueKey() };
    const resource = '/v1/forms/submissions';
    const { outcome } = await ask({ resource, methodArn: `${stageArn}/POST/v1`, queryStringParameters });
    expect(outcome).toMatchObject({ value: { context: { organization: organization.code } } });
  });

  test('that has no scope, or another one besides, is unauthorized', async () => {
    for (const scopes of [[], ['forms:submit', 'leads:create']] satisfies Scope[][]) {
      const { outcome } = await authorizeKeys(await issueKey({ scopes }));
      expect(outcome).toMatchObject({ reason: { message: 'Unauthorized' } });
    }
  });

  test('that is malformed, or that comes more than once, is unauthorized without a read', async () => {
    const key = await issueKey();
    const malformed = ['', `Bearer ${key}`, ` ${key}`, key.slice(0, -1), key.toUpperCase(), `${key}&x`];
    for (const keys of [...malformed.map((each) => [each]), [], [key, key], ['x', key], [key, '']]) {
      const { outcome, line } = await authorizeKeys(...keys);
      expect(outcome).toMatchObject({ reason: { message: 'Unauthorized' } });
      expect(line).toMatchObject({ status: 401, calls: 0 });
    }
  });
});

describe('a token in the header', () => {
  test('is found in any spelling of the header', async () => {
    const bearer = `bearer   ${organization.token}`;
    const all = [
      { Authorization: bearer },
      { AUTHORIZATION: bearer },
      { Authorization: 'Basic x', authorization: bearer },
    ];
    for (const headers of all) expect((await askFor(headers)).line).toMatchObject({ status: 200, calls: 1 });
  });

  test('that is malformed, or of another scheme, is unauthorized without a read', async () => {
    const { token } = organization;
    const wrong = ['', token, `Basic ${token}`, `Bearer${token}`, ` Bearer ${token}`, `Bearer ${token} `];
    const several = [`Bearer ${token}, Bearer ${token}`, `Bearer ${token}x`, `Bearer ${token}\n`];
    const headers = [...wrong, ...several].map((authorization) => ({ authorization }));
    for (const each of [...headers, {}, { authorization: `Bearer ${token}`, Authorization: 'x' }]) {
      const { outcome, line } = await askFor(each);
      expect(outcome).toMatchObject({ reason: { message: 'Unauthorized' } });
      expect(line, JSON.stringify(each)).toMatchObject({ status: 401, calls: 0 });
    }
  });
});

describe('an address whose tokens are refused', () => {
  const madeUp = () => newToken('live', randomBytes);
  const callsFor = async (token: string, sourceIp: string) =>
    (await authorize(token, { sourceIp })).line['calls'];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Sends invalid tokens until no other is read. */
  async function exhaust(sourceIp: string) {
    for (let at = 0; at < maxRefused; at++) expect(await callsFor(madeUp(), sourceIp)).toBe(1);
    expect(await callsFor(madeUp(), sourceIp)).toBe(0);
  }

  test('is an IPv4 address, or the first 64 bits of an IPv6 address', async () => {
    await exhaust('192.0.2.1');
    expect(await callsFor(madeUp(), '192.0.2.2')).toBe(1);
    expect(await callsFor(madeUp(), '::ffff:192.0.2.1')).toBe(0);
    await exhaust('2001:db8:0:1::1');
    for (const same of ['2001:db8:0:1:ffff::', '2001:DB8::1:0:0:0:1', '2001:0db8:0000:0001:1:2:3:4'])
      expect(await callsFor(madeUp(), same), same).toBe(0);
    for (const other of ['2001:db8:0:2::1', '2001:db8::1', '2001:db8:1::1', '::1'])
      expect(await callsFor(madeUp(), other), other).toBe(1);
  });

  test('still gets a token read that was granted before, until that token is revoked', async () => {
    const sourceIp = newAddress();
    const token = await organization.issueToken({ scopes: ['read'] });
    // The first use of a day is noted by a second call.
    expect(await callsFor(token, newAddress())).toBe(2);
    await exhaust(sourceIp);
    expect((await authorize(token, { sourceIp })).line).toMatchObject({ status: 200, calls: 1 });
    const { ledger } = organization.openLedger();
    await revokeToken(ledger, (await listTokens(ledger)).at(-1)!.id);
    expect((await authorize(token, { sourceIp })).line).toMatchObject({ status: 401, calls: 1 });
    expect((await authorize(token, { sourceIp })).line).toMatchObject({ status: 401, calls: 0 });
  });
});
