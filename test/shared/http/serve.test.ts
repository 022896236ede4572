import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import { ok, type Endpoint } from '../../../shared/contract/endpoint.ts';
import { getLeadEndpoint, type Lead } from '../../../shared/contract/leads.ts';
import type { Handler } from '../../../shared/http/serve.ts';
import { Failure, invalid } from '../../../shared/core/failure.ts';
import { requestId, served } from './invocation.ts';

/** Sends one request to a handler. */
async function invoke(
  handler: Handler<typeof getLeadEndpoint>,
  {
    body,
    ...request
  }: Parameters<ReturnType<typeof served>>[0] & {
    /** Schema of the body, if the endpoint has one. */
    body?: Endpoint['body'];
  } = {},
) {
  const { answer, line } = await served({ ...getLeadEndpoint, ...(body && { body }) }, handler)(request);
  return { answer, line, body: JSON.parse(answer.body) as unknown };
}

test('an unexpected error is a 500 without details, and its whole description is logged', async () => {
  const { answer, body, line } = await invoke(() => {
    throw new Error('secret detail', { cause: new Error('deeper secret') });
  });
  expect(answer.statusCode).toBe(500);
  expect(body).toEqual({
    success: false,
    message: 'Internal server error',
    error: { status: 500, message: 'Something went wrong on our side' },
    requestId,
  });
  expect(line).toMatchObject({
    level: 'error',
    error: { name: 'Error', message: 'secret detail', cause: { message: 'deeper secret' } },
  });
  expect(JSON.stringify(line)).toContain('serve.test.ts');
});

test('every answer tells the rates of its function, but a 429 of another limit', async () => {
  const policy = '"token";q=1500;w=60, "address";q=15000;w=60';
  vi.stubEnv('RATE_LIMIT_POLICY', policy);
  const policyOf = async (handler: Handler<typeof getLeadEndpoint>) =>
    (await invoke(handler)).answer.headers?.['RateLimit-Policy'];
  const fail = (error: Error) => () => {
    throw error;
  };
  expect(await policyOf(() => ok({ lead: {} as Lead }))).toBe(policy);
  expect(await policyOf(fail(new Error('broken')))).toBe(policy);
  expect(await policyOf(fail(new Failure('throttled', 'No more today')))).toBeUndefined();
  vi.unstubAllEnvs();
  expect(await policyOf(() => ok({ lead: {} as Lead }))).toBeUndefined();
});

describe("an event from a test call of API Gateway's console", () => {
  const lead = { lead: { firstName: 'Ann' } as Lead };

  test('without any headers or parameters is answered', async () => {
    const { answer, line } = await invoke(() => ok(lead), {
      change: (event) => ({
        ...event,
        headers: null,
        multiValueHeaders: null,
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
      }),
    });
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'X-Request-Id': requestId } });
    expect(line).toMatchObject({ status: 200, requestId });
  });

  test('without an id, an identity or an address is answered, with the id that Lambda gave', async () => {
    const { answer, line } = await invoke(() => ok(lead), {
      change: ({ requestContext: { authorizer }, ...event }) => ({
        ...event,
        headers: null,
        multiValueHeaders: null,
        requestContext: { authorizer },
      }),
    });
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'X-Request-Id': 'lambda-1' } });
    expect(line).toMatchObject({ status: 200, requestId: 'lambda-1', organization: '6H8EV880' });
  });

  test('without an authorizer is a 500 in the envelope', async () => {
    const { answer, body } = await invoke(() => ok(lead), {
      change: (event) => ({ ...event, headers: null, requestContext: {} }),
    });
    expect(answer).toMatchObject({ statusCode: 500, headers: { 'X-Request-Id': 'lambda-1' } });
    expect(body).toMatchObject({ success: false, error: { status: 500 }, requestId: 'lambda-1' });
  });
});

describe('a body that API Gateway got with a Content-Encoding', () => {
  const plain = '{"a":1}';
  test.each([
    ['GZIP', 'decompressed', ` ${plain}`, 200],
    ['identity', 'as it came', plain, 200],
    [' ', 'as it came', plain, 200],
    ['identity', 'as it came, and no JSON', 'xyz', 400],
    ['gzip', 'decompressed, and no JSON', '{"a"', 400],
    ['gzip, gzip', 'as it came', plain, 415],
  ])('"%s", and passed on %s, is %4$i', async (coding, _, body, status) => {
    const { answer } = await invoke(() => ok({ lead: {} as Lead }), {
      body: v.strictObject({ a: v.number() }),
      change: (event) => ({
        ...event,
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
        body,
      }),
    });
    expect(answer.statusCode).toBe(status);
  });
});

test('a JSON body is parsed once, by the parser that refuses __proto__', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const text = '{"a":1}';
  const { answer } = await invoke(() => ok({ lead: {} as Lead }), {
    body: v.strictObject({ a: v.number() }),
    change: (event) => ({ ...event, headers: { 'Content-Type': 'application/json' }, body: text }),
  });
  const calls = parse.mock.calls.filter(([parsed]) => parsed === text);
  parse.mockRestore();
  expect(answer.statusCode).toBe(200);
  expect(calls).toEqual([[text, expect.any(Function)]]);
});

test('a handler that hangs is answered before the function is cut off', async () => {
  const { answer, body } = await invoke(() => new Promise(() => undefined), { remaining: 550 });
  expect(answer.statusCode).toBe(500);
  expect(body).toMatchObject({ error: { message: expect.stringContaining('too long') as string } });
});

test('the deadline leaves time to answer', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const left: number[] = [];
  await invoke(({ principal }) => {
    left.push(principal.deadline - Date.now());
    throw new Failure('notFound', 'x');
  });
  vi.useRealTimers();
  expect(left).toEqual([13_500]);
});

test('an endpoint that is not public never runs without an authorizer', async () => {
  const handler = vi.fn<Handler<typeof getLeadEndpoint>>();
  const { answer } = await invoke(handler, { authorized: false });
  expect(answer.statusCode).toBe(500);
  expect(handler).not.toHaveBeenCalled();
});

test('an invalid request is logged without the names of its fields, since a client can choose any name', async () => {
  const { body, line } = await invoke(() => {
    throw invalid([{ field: '+61491570156 leaks', message: 'is not a known field' }]);
  });
  expect(JSON.stringify(body)).toContain('+61491570156 leaks is not a known field');
  expect(line).toMatchObject({ level: 'info', status: 400, error: { message: 'is not a known field' } });
  expect(JSON.stringify(line)).not.toContain('+61491570156');
});
