import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../infra/local/functions/function-messages.ts';
import { preferredCoding } from '../../../infra/local/gateway/compression.ts';
import { Gateway } from '../../../infra/local/gateway/gateway.ts';
import type { HttpRequest } from '../../../infra/local/gateway/http-message.ts';
import { maxBytes } from '../../../infra/local/gateway/integrations.ts';
import { findRoute, pathVariables } from '../../../infra/local/gateway/routes.ts';
import { resolve } from '../../../infra/local/intrinsics.ts';
import type { Api, Authorizer } from '../../../infra/local/template/api.ts';
import type { Access } from '../../../infra/local/template/logs.ts';

const byToken: Authorizer = {
  authorizerResultTtlInSeconds: 60,
  identitySource: 'method.request.header.Authorization',
  functionName: 'Authorizer',
};
const byKey: Authorizer = { ...byToken, identitySource: 'method.request.querystring.key' };
const template = { 'application/json': '{"own":"$context.requestId"}' };
const api: Api = {
  routes: [
    { method: 'GET', path: '/things/{thingId}', functionName: 'GetThing', authorizer: byToken },
    { method: 'POST', path: '/forms/{form}', functionName: 'TakeForm', authorizer: byKey },
    { method: 'OPTIONS', path: '/forms/{form}', functionName: 'TakeForm', authorizer: byKey },
    { method: 'PUT', path: '/open', functionName: 'PutOpen', authorizer: undefined },
  ],
  minimumCompressionSize: 1024,
  binaryMediaTypes: ['multipart/form-data'],
  gatewayResponses: new Map([['DEFAULT_5XX', { responseParameters: {}, responseTemplates: template }]]),
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
const thing = done({ statusCode: 200, headers: { 'X-Count': 3 }, body: '{}' });

let outcomes: Record<string, Outcome>;
let events: [functionName: string, event: unknown][];
let accesses: Access[];
let now: number;
let gateway: Gateway;
beforeEach(() => {
  [events, accesses, now] = [[], [], 5000];
  const allowed = policy('Allow', 'arn:aws:execute-api:us-east-1:000000000000:local/local/*');
  outcomes = { Authorizer: allowed, GetThing: thing, TakeForm: thing, PutOpen: thing };
  gateway = new Gateway(
    api,
    (name, event) => {
      events.push([name, event]);
      return Promise.resolve(outcomes[name]!);
    },
    () => now,
    (access) => accesses.push(access),
  );
});

const asked = () => events.splice(0).map(([name]) => name);
const get = (headers: HttpRequest['headers'] = [['Authorization', 'Bearer x']], target = '/things/1') =>
  gateway.answer({ method: 'GET', target, headers, body: Buffer.alloc(0), sourceIp: '::1' });
const form = async (target: string, method = 'POST') =>
  (await gateway.answer({ method, target, headers: [], body: Buffer.from('a=b'), sourceIp: '::1' })).status;
const put = (body: Buffer, ...headers: HttpRequest['headers']) =>
  gateway.answer({ method: 'PUT', target: '/open', headers, body, sourceIp: '::1' });

test('a function and its authorizer get the event that API Gateway gives, and the access log both calls', async () => {
  const answer = await get([['authorization', 'Bearer x']], '//things/a%20b%2F/?q=1&q=2&e=');
  expect(answer).toMatchObject({ status: 200, headers: { 'X-Count': '3' }, body: '{}' });
  const path = '//things/a%20b%2F/';
  const common = {
    path,
    pathParameters: { thingId: 'a b/' },
    queryStringParameters: { q: '2', e: '' },
    multiValueQueryStringParameters: { q: ['1', '2'], e: [''] },
  };
  const requestContext = { path, resourcePath: '/things/{thingId}', identity: { sourceIp: '::1' } };
  expect(events).toMatchObject([
    [
      'Authorizer',
      {
        ...common,
        type: 'REQUEST',
        methodArn: `arn:aws:execute-api:us-east-1:000000000000:local/local/GET${path}`,
        headers: { authorization: 'Bearer x' },
        requestContext,
      },
    ],
    [
      'GetThing',
      {
        ...common,
        body: null,
        isBase64Encoded: false,
        requestContext: {
          ...requestContext,
          authorizer: { organization: 'o', level: '7', principalId: 'p' },
        },
      },
    ],
  ]);
  expect(events[0]![1]).not.toHaveProperty('body');
  const call = { status: 200, requestId: '1', milliseconds: expect.any(Number) as number };
  const route = { at: 5000, method: 'GET', route: '/things/{thingId}', authorizer: { organization: 'o' } };
  const access = { ...route, authorizing: call, integration: call, status: 200, length: 2 };
  expect(accesses).toMatchObject([access]);
  expect(accesses[0]).not.toHaveProperty('responseType');
});

test('an authorizer is asked once per token, or per last key of the query, and minute', async () => {
  await get();
  await get();
  expect(accesses[1]).not.toHaveProperty('authorizing');
  expect(asked()).toEqual(['Authorizer', 'GetThing', 'GetThing']);
  expect(await form('/forms/quote?key=Bearer%20x')).toBe(200);
  expect(asked()).toEqual(['Authorizer', 'TakeForm']);
  await form('/forms/quote?key=Bearer%20x', 'OPTIONS');
  await form('/forms/other?x=1&key=b&key=Bearer%20x');
  expect(asked()).toEqual(['TakeForm', 'TakeForm']);
  now += 59_999;
  await get();
  now++;
  await get();
  expect(asked()).toEqual(['GetThing', 'Authorizer', 'GetThing']);
});

test.each<[string, Record<string, Outcome>, number, string | undefined]>([
  ['an authorizer that fails', { Authorizer: failed('Boom') }, 500, 'AUTHORIZER_FAILURE'],
  ['an authorizer that answers nonsense', { Authorizer: done({ ok: true }) }, 500, 'AUTHORIZER_FAILURE'],
  ['an authorizer that says so', { Authorizer: failed('Unauthorized') }, 401, 'UNAUTHORIZED'],
  ['an authorizer that denies', { Authorizer: policy('Deny', '*') }, 403, 'ACCESS_DENIED'],
  ['one that allows something else', { Authorizer: policy('Allow', 'arn:o') }, 403, 'ACCESS_DENIED'],
  ['a function that fails', { GetThing: failed('Boom') }, 502, undefined],
  ['a function that answers nonsense', { GetThing: done('text') }, 502, undefined],
])('the gateway answers %s by itself', async (_, changed, status, responseType) => {
  Object.assign(outcomes, changed);
  const answer = await get();
  expect(answer.status).toBe(status);
  if (status >= 500) expect(answer.body).toMatch(/^\{"own":"[0-9a-f-]{36}"\}$/);
  // Lambda answers 200 for a function that throws.
  const why = responseType === undefined ? { integration: { status: 200 } } : { responseType };
  expect(accesses).toMatchObject([{ status, ...why }]);
});

test('of a header that comes again, the last counts; no authorizer is asked, and the access log says why', async () => {
  const twice = await get([
    ['Authorization', 'Bearer t'],
    ['authorization', ''],
  ]);
  const unknown = await get([], '/other');
  expect([twice.status, unknown.status, asked()]).toEqual([401, 403, []]);
  expect(accesses.map(({ route, responseType }) => [route, responseType])).toEqual([
    ['/things/{thingId}', 'UNAUTHORIZED'],
    [undefined, 'MISSING_AUTHENTICATION_TOKEN'],
  ]);
});

describe('a route', () => {
  const route = (path: string, method = 'GET') => ({ method, path });
  const routes = [
    route('/{proxy+}', 'ANY'),
    route('/a/{id}'),
    route('/a/batch'),
    route('/a/batch', 'ANY'),
    route('/a/only', 'POST'),
    route('/a/{id}/b/{x+}'),
    route('/{x}/batch'),
    route('/', 'ANY'),
  ];

  test.each([
    ['GET', '/a/batch', 'GET /a/batch'],
    ['POST', '/a/batch', 'ANY /a/batch'],
    ['GET', '/a/b', 'GET /a/{id}'],
    ['GET', '/a/x%2Fy', 'GET /a/{id}'],
    ['GET', '/b/batch', 'GET /{x}/batch'],
    ['GET', '/a/b/c', 'ANY /{proxy+}'],
    ['GET', '/a/1/b/2/3', 'GET /a/{id}/b/{x+}'],
    ['GET', '/a/1/b', 'ANY /{proxy+}'],
    ['GET', '/', 'ANY /'],
    ['GET', '', 'ANY /'],
    ['FROB', '/a', 'none'],
    // A less specific route answers if the path lacks the method.
    ['GET', '/a/only', 'GET /a/{id}'],
    ['DELETE', '/a/only', 'ANY /{proxy+}'],
    ['GET', '///a///batch///', 'GET /a/batch'],
  ])('for %s %s is the most specific that has the method: %s', (method, path, expected) => {
    const found = findRoute(routes, method, path);
    expect(found === undefined ? 'none' : `${found.method} ${found.path}`).toBe(expected);
  });

  test('decodes its variables once, after it was found', () => {
    expect(pathVariables('/a/{id}/b', '/a/x%2Fy%252F/b/')).toEqual({ id: 'x/y%2F' });
    expect(pathVariables('/a/{proxy+}', '/a/x/y%20z/')).toEqual({ proxy: 'x/y z' });
    expect(pathVariables('/a/{id}', '//a/1')).toEqual({ id: '1' });
    expect(pathVariables('/a/{id}', '/a/%zz')).toBeUndefined();
  });
});

describe('an answer', () => {
  test('of more than 6 MB is refused, as Lambda does', async () => {
    // As a string within JSON, each quote takes two bytes.
    const answering = async (quotes: number) => {
      outcomes['GetThing'] = done({ statusCode: 200, headers: {}, body: '"'.repeat(quotes) });
      return (await get()).status;
    };
    expect(await answering(3 * 1024 * 1024 - 100)).toBe(200);
    expect(await answering(3 * 1024 * 1024)).toBe(502);
  });

  test('is compressed from the number of bytes that the template sets, unless it is encoded', async () => {
    const codingOf = async (body: string, headers = {}) => {
      outcomes['PutOpen'] = done({ statusCode: 200, headers, body });
      return (await put(Buffer.alloc(0), ['Accept-Encoding', 'gzip'])).coding;
    };
    expect(await codingOf('x'.repeat(1023))).toBeUndefined();
    expect(await codingOf('é'.repeat(512))).toBe('gzip');
    expect(await codingOf('x'.repeat(2000), { 'content-encoding': 'br' })).toBeUndefined();
  });

  test.each([
    ['deflate,gzip', 'deflate'],
    ['gzip, deflate, br', 'gzip'],
    ['GZip', 'gzip'],
    ['gzip ; q=0.1', 'gzip'],
    ['deflate;q=0.5,gzip;q=1.0', 'gzip'],
    // API Gateway considers only the coding that the client prefers.
    ['br;q=1.0, gzip;q=0.8', undefined],
    ['identity;q=0.5, gzip;q=0.4', undefined],
    ['*', undefined],
    ['gzip;level=9', undefined],
    ['constructor', undefined],
  ])('to a client that accepts "%s" is compressed by %s', (accepted, coding) => {
    expect(preferredCoding(accepted)).toBe(coding);
  });
});

describe('a body', () => {
  test('that is cut short is answered 415, and neither a function nor the access log sees it', async () => {
    const body = gzipSync([...Array(4000).keys()].join()).subarray(0, -20);
    const unsupported = { status: 415, body: '{"message":"Unsupported Media Type"}' };
    expect(await put(body, ['Content-Encoding', 'gzip'])).toMatchObject(unsupported);
    expect([events, accesses]).toEqual([[], []]);
  });

  test('that is too large once decompressed is answered 413, and is not decompressed further', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const before = process.memoryUsage().arrayBuffers;
    const answer = await put(bomb, ['Content-Encoding', 'gzip']);
    expect(answer).toMatchObject({ status: 413, body: '{"message":"Request Too Long"}' });
    expect(events).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * maxBytes);
    const letters = gzipSync(Buffer.alloc(maxBytes - 4096, 'a'));
    expect((await put(letters, ['Content-Encoding', 'gzip'])).status).toBe(200);
  });

  test('that makes an event of more than 6 MB is answered 413, since Lambda refuses it, and so the access log says', async () => {
    const multipart = 'Multipart/Form-Data; boundary="x"';
    // In text, each invalid byte becomes three bytes; in Base64, three bytes become four.
    for (const [length, type, calls] of [
      [2_200_000, 'text/plain', []],
      [4_600_000, multipart, ['PutOpen']],
      [4_800_000, multipart, []],
    ] as const) {
      await put(Buffer.alloc(length, 0xff), ['Content-Type', type]);
      expect(asked()).toEqual(calls);
    }
    const refused = { status: 413, integration: { status: 413 } };
    expect(accesses).toMatchObject([refused, { status: 200 }, refused]);
  });

  test.each([
    ['MULTIPART/form-data ; boundary=x', '/2E=', true],
    ['multipart/mixed', '\uFFFDa', false],
  ])('as %s reaches the function as %j, in Base64: %s', async (type, body, isBase64Encoded) => {
    await put(Buffer.from([0xff, 0x61]), ['content-type', type]);
    expect(events[0]?.[1]).toMatchObject({ body, isBase64Encoded });
  });
});

test('an unknown intrinsic function is refused', () => {
  expect(() => resolve({ 'Fn::ImportValue': 'x' })).toThrow('The template uses Fn::ImportValue');
});
