import { describe, expect, test } from 'vitest';
import { AuthorizerCache } from '../../../infra/local/authorizer-cache.ts';
import type { Outcome } from '../../../infra/local/function-messages.ts';
import { Gateway } from '../../../infra/local/gateway.ts';
import { resolve } from '../../../infra/local/intrinsics.ts';
import { findRoute, pathVariables } from '../../../infra/local/routes.ts';
import type { Authorizer, Template } from '../../../infra/local/template.ts';

const authorizer: Authorizer = {
  Type: 'TOKEN',
  AuthorizerUri: '',
  AuthorizerResultTtlInSeconds: 60,
  IdentitySource: 'method.request.header.Authorization',
  IdentityValidationExpression: '^Bearer .+$',
  functionName: 'Authorizer',
};
const template: Template = {
  tables: [],
  functions: [],
  routes: [{ method: 'GET', path: '/things/{thingId}', functionName: 'GetThing', authorizer }],
  schedules: [],
  gatewayResponses: new Map([
    [
      'DEFAULT_5XX',
      {
        ResponseType: 'DEFAULT_5XX',
        ResponseParameters: {},
        ResponseTemplates: { 'application/json': '{"own":"$context.requestId"}' },
      },
    ],
  ]),
};

const done = (result: unknown): Outcome => ({ id: '1', result: JSON.stringify(result), output: '' });
const failed = (message: string): Outcome => ({
  id: '1',
  error: { type: 'Error', message, stack: '' },
  output: '',
});
const policy = (Effect: string, Resource: string) =>
  done({
    principalId: 'p',
    policyDocument: { Statement: [{ Effect, Resource }] },
    context: { organization: 'o', level: 7 },
  });
const allow = policy('Allow', 'arn:aws:execute-api:us-east-1:000000000000:local/local/*');

/** Sends one request through a gateway whose functions answer as given; tells the answer and the events they got. */
async function send(
  answers: Record<string, Outcome>,
  headers: [string, string][] = [['authorization', 'Bearer x']],
) {
  const events: [string, unknown][] = [];
  const gateway = new Gateway(template, (name, event) => {
    events.push([name, event]);
    return Promise.resolve(answers[name]!);
  });
  const request = {
    method: 'GET',
    target: '/things/a%20b?q=1&q=2&e=',
    headers,
    body: Buffer.alloc(0),
    sourceIp: '::1',
  };
  return { answer: await gateway.answer(request), events, again: () => gateway.answer(request) };
}

const thing = done({ statusCode: 200, headers: { 'X-Count': 3 }, body: '{}' });

describe('the local API Gateway', () => {
  test('gives a function the event that API Gateway gives', async () => {
    const { answer, events } = await send({ Authorizer: allow, GetThing: thing });
    expect(answer).toMatchObject({ status: 200, headers: { 'X-Count': '3' }, body: '{}' });
    expect(events[0]).toEqual([
      'Authorizer',
      {
        type: 'TOKEN',
        authorizationToken: 'Bearer x',
        methodArn: 'arn:aws:execute-api:us-east-1:000000000000:local/local/GET/things/a%20b',
      },
    ]);
    expect(events[1]).toMatchObject([
      'GetThing',
      {
        resource: '/things/{thingId}',
        path: '/things/a%20b',
        pathParameters: { thingId: 'a b' },
        queryStringParameters: { q: '2', e: '' },
        multiValueQueryStringParameters: { q: ['1', '2'], e: [''] },
        body: null,
        isBase64Encoded: false,
        requestContext: { authorizer: { organization: 'o', level: '7', principalId: 'p' } },
      },
    ]);
  });

  test('refuses what a function answers with more than 6 MB, as Lambda does', async () => {
    // As a string within JSON, each quote takes two bytes.
    const answering = (quotes: number) =>
      send({ Authorizer: allow, GetThing: done({ statusCode: 200, headers: {}, body: '"'.repeat(quotes) }) });
    expect((await answering(3 * 1024 * 1024 - 100)).answer).toMatchObject({ status: 200 });
    expect((await answering(3 * 1024 * 1024)).answer).toMatchObject({ status: 502 });
  });

  test('asks the authorizer once per token', async () => {
    const { events, again } = await send({ Authorizer: allow, GetThing: thing });
    await again();
    expect(events.map(([name]) => name)).toEqual(['Authorizer', 'GetThing', 'GetThing']);
  });

  test.each([
    ['no token', {}, [], 401],
    ['a token that does not look like one', {}, [['Authorization', 'Basic x']], 401],
    ['an authorizer that says Unauthorized', { Authorizer: failed('Unauthorized') }, undefined, 401],
    ['an authorizer that fails', { Authorizer: failed('Boom') }, undefined, 500],
    ['an authorizer that answers nonsense', { Authorizer: done({ ok: true }) }, undefined, 500],
    ['an authorizer that denies', { Authorizer: policy('Deny', '*') }, undefined, 403],
    [
      'an authorizer that allows something else',
      { Authorizer: policy('Allow', 'arn:other') },
      undefined,
      403,
    ],
    ['a function that fails', { Authorizer: allow, GetThing: failed('Boom') }, undefined, 502],
    ['a function that answers nonsense', { Authorizer: allow, GetThing: done('text') }, undefined, 502],
  ] as [string, Record<string, Outcome>, [string, string][] | undefined, number][])(
    'answers %s by itself',
    async (_, answers, headers, status) => {
      const { answer } = await send(answers, headers);
      expect(answer.status).toBe(status);
      if (status >= 500) expect(answer.body).toMatch(/^\{"own":"[0-9a-f-]{36}"\}$/);
    },
  );
});

test('a token is forgotten after the time that the template says', () => {
  let now = 0;
  const cache = new AuthorizerCache(() => now);
  cache.remember('t', allow.result, 60);
  now = 59_999;
  expect(cache.recall('t')).toBeDefined();
  now = 60_000;
  expect(cache.recall('t')).toBeUndefined();
});

test('a fixed path goes before one with a variable', () => {
  const route = (path: string) => ({ method: 'GET', path, functionName: path, authorizer: undefined });
  const routes = [route('/a/{id}'), route('/a/batch'), route('/{x}/batch')];
  expect(findRoute(routes, 'GET', '/a/batch')?.path).toBe('/a/batch');
  expect(findRoute(routes, 'GET', '/a/b')?.path).toBe('/a/{id}');
  expect(findRoute(routes, 'GET', '/b/batch')?.path).toBe('/{x}/batch');
  expect(findRoute(routes, 'POST', '/a/b')).toBeUndefined();
  expect(findRoute(routes, 'GET', '/a/')).toBeUndefined();
  expect(pathVariables('/a/{id}', '/a/%zz')).toBeUndefined();
});

test('an intrinsic function that is not known here is refused', () => {
  expect(() => resolve({ 'Fn::ImportValue': 'x' })).toThrow('The template uses Fn::ImportValue');
});
