import { beforeEach, expect, test } from 'vitest';
import type { Outcome } from '../../../infra/local/function-messages.ts';
import { Gateway } from '../../../infra/local/gateway.ts';
import { parseResource } from '../../../infra/local/template/resources.ts';
import { limitsOf, Throttling } from '../../../infra/local/throttling.ts';

let now: number;
beforeEach(() => {
  now = 0;
});

const newThrottling = (rate: number, burst: number) => new Throttling({ rate, burst }, () => now);

/** Number of requests, of so many, that may go on. */
const taken = (throttling: Throttling, times: number, method = 'GET /a') =>
  Array.from({ length: times }, () => throttling.takes(method)).filter(Boolean).length;

test('as many requests go on as the burst says, and then as many a second as the rate says', () => {
  const throttling = newThrottling(10, 20);
  expect(taken(throttling, 100)).toBe(20);
  now += 99;
  expect(taken(throttling, 100)).toBe(0);
  now += 1;
  expect(taken(throttling, 100)).toBe(1);
  now += 1000;
  expect(taken(throttling, 100)).toBe(10);
});

test('unused tokens add up to the burst at most', () => {
  const throttling = newThrottling(10, 20);
  taken(throttling, 20);
  now += 3_600_000;
  expect(taken(throttling, 100)).toBe(20);
});

test('each method has its own tokens', () => {
  const throttling = newThrottling(1, 2);
  expect(taken(throttling, 3, 'GET /a')).toBe(2);
  expect(taken(throttling, 3, 'POST /a')).toBe(2);
  expect(taken(throttling, 3, 'GET /b')).toBe(2);
});

test('a stage without limits accepts everything', () => {
  expect(taken(new Throttling(undefined, () => now), 1000)).toBe(1000);
  const all = { HttpMethod: '*', ResourcePath: '/*' } as const;
  expect(limitsOf(undefined)).toBeUndefined();
  expect(limitsOf([all])).toBeUndefined();
  expect(limitsOf([{ ...all, ThrottlingRateLimit: 5, ThrottlingBurstLimit: 7 }])).toEqual({
    rate: 5,
    burst: 7,
  });
});

test('a stage that throttles one method in another way is refused', () => {
  const settings = [{ HttpMethod: 'GET', ResourcePath: '/v1/leads', ThrottlingRateLimit: 1 }];
  const stage = { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'x', MethodSettings: settings } };
  expect(() => parseResource('Stage', stage)).toThrow(
    'The local machine cannot run Stage (AWS::ApiGateway::Stage): Properties.MethodSettings.0.HttpMethod',
  );
});

test('a throttled request gets the gateway response THROTTLED, and calls neither the authorizer nor a function', async () => {
  const asked: string[] = [];
  const outcome: Outcome = { id: '1', result: '{"statusCode":200,"body":"{}"}', output: '' };
  const gateway = new Gateway(
    {
      routes: [{ method: 'GET', path: '/a', functionName: 'A', authorizer: undefined }],
      gatewayResponses: new Map([
        [
          'THROTTLED',
          {
            ResponseType: 'THROTTLED',
            ResponseParameters: { 'gatewayresponse.header.Retry-After': "'1'" },
            ResponseTemplates: { 'application/json': '{"own":"$context.requestId"}' },
          },
        ],
      ]),
      minimumCompressionSize: undefined,
      throttling: { rate: 1, burst: 1 },
    },
    (name) => {
      asked.push(name);
      return Promise.resolve(outcome);
    },
    () => now,
  );
  const answer = () =>
    gateway.answer({ method: 'GET', target: '/a?b=c', headers: [], body: Buffer.alloc(0), sourceIp: '::1' });
  expect((await answer()).status).toBe(200);
  expect(await answer()).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '1' },
    body: expect.stringMatching(/^\{"own":"[0-9a-f-]{36}"\}$/) as string,
  });
  expect(asked).toEqual(['A']);
  now += 1000;
  expect((await answer()).status).toBe(200);
});
