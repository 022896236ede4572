import { gunzipSync, gzipSync, deflateSync, brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { AuthorizerCache } from '../../../infra/local/gateway/authorizer.ts';
import { encode, preferredCoding } from '../../../infra/local/gateway/compression.ts';
import type { Outcome } from '../../../infra/local/functions/function-messages.ts';
import { Gateway } from '../../../infra/local/gateway/gateway.ts';
import type { HttpRequest } from '../../../infra/local/gateway/http-message.ts';
import { maxBytes } from '../../../infra/local/gateway/integrations.ts';
import { resolve } from '../../../infra/local/intrinsics.ts';
import { findRoute, pathVariables } from '../../../infra/local/gateway/routes.ts';
import type { Access } from '../../../infra/local/template/logs.ts';
import type { Api } from '../../../infra/local/template/api.ts';
import { tokenAuthorizer as authorizer } from '../../support/token-authorizer.ts';

const api: Api = {
  routes: [
    { method: 'GET', path: '/things/{thingId}', functionName: 'GetThing', authorizer },
    { method: 'PUT', path: '/open', functionName: 'PutOpen', authorizer: undefined },
    {
      method: 'ANY',
      path: '/{proxy+}',
      authorizer: undefined,
      mock: {
        contentTypes: ['application/json'],
        status: 404,
        headers: { 'X-Text': "'text'", 'X-Id': 'context.requestId' },
        body: '{"mocked":"$context.requestId"}',
      },
    },
  ],
  minimumCompressionSize: 1024,
  binaryMediaTypes: ['multipart/form-data'],
  gatewayResponses: new Map([
    [
      'DEFAULT_5XX',
      {
        responseParameters: {},
        responseTemplates: { 'application/json': '{"own":"$context.requestId"}' },
      },
    ],
    [
      'UNSUPPORTED_MEDIA_TYPE',
      {
        statusCode: '404',
        responseParameters: {},
        responseTemplates: { 'application/json': '{"mocked":"$context.requestId"}' },
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

/**
 * Sends one request through a gateway whose functions answer as given. Returns the answer and the functions'
 * events.
 */
async function send(
  answers: Record<string, Outcome>,
  headers: [string, string][] = [['authorization', 'Bearer x']],
  more: Partial<HttpRequest> = {},
  onAccess?: (access: Access) => void,
) {
  const events: [string, unknown][] = [];
  const invoke = (name: string, event: unknown) => {
    events.push([name, event]);
    return Promise.resolve(answers[name]!);
  };
  const gateway = new Gateway(api, invoke, undefined, onAccess);
  const request = {
    method: 'GET',
    target: '/things/a%20b?q=1&q=2&e=',
    headers,
    body: Buffer.alloc(0),
    sourceIp: '::1',
    ...more,
  };
  return { answer: await gateway.answer(request), events, again: () => gateway.answer(request) };
}

const thing = done({ statusCode: 200, headers: { 'X-Count': 3 }, body: '{}' });

describe('the local API Gateway', () => {
  test('gives a function the event that API Gateway gives', async () => {
    const { answer, events } = await send({ Authorizer: allow, GetThing: thing });
    expect(answer).toMatchObject({ status: 200, headers: { 'X-Count': '3' }, body: '{}' });
    expect(events[0]).toMatchObject([
      'Authorizer',
      {
        type: 'REQUEST',
        methodArn: 'arn:aws:execute-api:us-east-1:000000000000:local/local/GET/things/a%20b',
        resource: '/things/{thingId}',
        headers: { authorization: 'Bearer x' },
        requestContext: { identity: { sourceIp: '::1' } },
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

  test("refuses a function's answer of more than 6 MB, as Lambda does", async () => {
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
    ['an empty token', {}, [['Authorization', '']], 401],
    [
      'a header that comes again, of which the last counts',
      { Authorizer: allow, GetThing: thing },
      [
        ['Authorization', 'Bearer t'],
        ['authorization', ''],
      ],
      401,
    ],
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

test('a cached authorization expires after the time that the template sets', () => {
  let now = 0;
  const cache = new AuthorizerCache(() => now);
  cache.remember('t', allow.result, 60);
  now = 59_999;
  expect(cache.recall('t')).toBeDefined();
  now = 60_000;
  expect(cache.recall('t')).toBeUndefined();
});

describe('a mock integration', () => {
  const uuid = '[0-9a-f-]{36}';
  const mocked = { status: 404, body: expect.stringMatching(`^{"mocked":"${uuid}"}$`) as string };

  test.each([
    ['no body', [], ''],
    ['a body', [['Content-Type', 'application/json']], '{"statusCode": 200}'],
    ['a body that is no JSON', [['content-type', 'Application/JSON; charset=utf-8']], '{"a'],
    ['an Authorization header', [['Authorization', 'Bearer x']], ''],
  ] as [string, [string, string][], string][])(
    'answers a request with %s by itself',
    async (_, headers, body) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
        const { answer, events } = await send({}, headers, {
          method,
          target: '/a/b/c',
          body: Buffer.from(body),
        });
        expect(answer).toMatchObject(mocked);
        expect(answer.headers).toEqual({ 'X-Text': 'text', 'X-Id': expect.stringMatching(uuid) as string });
        expect(answer.body).toContain(answer.headers['X-Id']);
        expect(events).toEqual([]);
      }
    },
  );

  test.each([
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'x',
    'application/json+x',
  ])('answers the content type %s, which has no template, by a gateway response', async (type) => {
    const request = { method: 'POST', target: '/a', body: Buffer.from('{"statusCode": 200}') };
    const { answer } = await send({}, [['Content-Type', type]], request);
    expect(answer).toMatchObject(mocked);
    expect(answer.headers).toEqual({ 'Content-Type': 'application/json' });
  });

  test('answers methods that a more specific path lacks, and refuses unknown paths', async () => {
    expect((await send({}, [], { method: 'POST' })).answer).toMatchObject(mocked);
    expect((await send({}, [], { method: 'FROB', target: '/a' })).answer.status).toBe(403);
    expect((await send({}, [], { target: '/' })).answer.status).toBe(403);
    // Invalid percent-encoding fails only where functions get it decoded.
    expect((await send({}, [], { target: '/a/%zz' })).answer).toMatchObject(mocked);
  });
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
  const found = (method: string, path: string) => {
    const { method: its, path: at } = findRoute(routes, method, path) ?? {};
    return its === undefined ? 'none' : `${its} ${at!}`;
  };

  test.each([
    ['GET', '/a/batch', 'GET /a/batch'],
    ['POST', '/a/batch', 'ANY /a/batch'],
    ['GET', '/a/b', 'GET /a/{id}'],
    ['GET', '/b/batch', 'GET /{x}/batch'],
    ['GET', '/a/b/c', 'ANY /{proxy+}'],
    ['GET', '/a/1/b/2/3', 'GET /a/{id}/b/{x+}'],
    ['GET', '/a/1/b', 'ANY /{proxy+}'],
    ['GET', '/a', 'ANY /{proxy+}'],
    ['GET', '/', 'ANY /'],
    ['GET', '', 'ANY /'],
    ['FROB', '/a', 'none'],
  ])('for %s %s is the most specific that has the method: %s', (method, path, expected) => {
    expect(found(method, path)).toBe(expected);
  });

  test('is a less specific one where a path lacks the method', () => {
    expect(found('GET', '/a/only')).toBe('GET /a/{id}');
    expect(found('DELETE', '/a/only')).toBe('ANY /{proxy+}');
  });

  test.each(['/a/batch/', '//a/batch', '/a//batch', '///a///batch///'])('is the same for %s', (path) => {
    expect(found('GET', path)).toBe('GET /a/batch');
  });

  test('decodes its variables once, after it was found', () => {
    expect(pathVariables('/a/{id}/b', '/a/x%2Fy%252F/b/')).toEqual({ id: 'x/y%2F' });
    expect(pathVariables('/a/{id}', '//a/1')).toEqual({ id: '1' });
    expect(pathVariables('/a/{id}', '/a/%zz')).toBeUndefined();
    expect(found('GET', '/a/x%2Fy')).toBe('GET /a/{id}');
  });

  test('answers 400 for a variable with invalid percent-encoding, and calls no function', async () => {
    const { answer, events } = await send({ Authorizer: allow }, undefined, { target: '/things/%zz' });
    expect(answer.status).toBe(400);
    expect(events.map(([name]) => name)).toEqual(['Authorizer']);
  });

  test('leaves the path of the event as it came', async () => {
    const { events } = await send({ Authorizer: allow, GetThing: thing }, undefined, {
      target: '//things/%2F/',
    });
    expect(events[1]![1]).toMatchObject({
      path: '//things/%2F/',
      pathParameters: { thingId: '/' },
      requestContext: { path: '//things/%2F/', resourcePath: '/things/{thingId}' },
    });
  });
});

describe('an answer', () => {
  const answering = async (
    body: string,
    accept: string | undefined,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) => {
    const given: [string, string][] = accept === undefined ? [] : [['Accept-Encoding', accept]];
    const { answer } = await send({ PutOpen: done({ statusCode: 200, headers, body }) }, given, {
      method: 'PUT',
      target: '/open',
    });
    expect(answer).toMatchObject({ status: 200, headers, body });
    return answer.coding;
  };

  test('is compressed from the number of bytes that the template sets', async () => {
    expect(await answering('x'.repeat(1023), 'gzip')).toBeUndefined();
    expect(await answering('x'.repeat(1024), 'gzip')).toBe('gzip');
    expect(await answering('é'.repeat(512), 'deflate')).toBe('deflate');
  });

  test('is not compressed if it is already encoded, or nobody asked for compression', async () => {
    const encoded = { 'content-encoding': 'br' };
    expect(await answering('x'.repeat(2000), 'gzip', encoded)).toBeUndefined();
    expect(await answering('x'.repeat(2000), undefined)).toBeUndefined();
  });

  test('of API Gateway itself is not compressed', async () => {
    const { answer } = await send({ PutOpen: failed('Boom') }, [['Accept-Encoding', 'gzip']], {
      method: 'PUT',
      target: '/open',
    });
    expect(answer.coding).toBeUndefined();
  });

  test('can be decompressed by its coding', async () => {
    expect(gunzipSync(await encode('é', 'gzip')).toString()).toBe('é');
    expect(await encode('é', undefined)).toEqual(Buffer.from('é'));
  });

  test.each([
    ['gzip', 'gzip'],
    ['deflate,gzip', 'deflate'],
    ['gzip, deflate, br', 'gzip'],
    ['GZip', 'gzip'],
    ['deflate;q=0.5,gzip;q=1.0', 'gzip'],
    ['gzip;q=1.0,identity;q=0.5,*;q=0', 'gzip'],
    ['gzip ; q=0.1', 'gzip'],
    // API Gateway considers only the coding that the client prefers.
    ['br, gzip', undefined],
    ['br;q=1.0, gzip;q=0.8', undefined],
    ['identity, gzip', undefined],
    ['identity;q=0.5, gzip;q=0.4', undefined],
    ['gzip;q=0', undefined],
    ['*', undefined],
    ['', undefined],
    ['gzip;level=9', undefined],
    ['constructor', undefined],
  ])('to a client that accepts "%s" is compressed by %s', (accepted, coding) => {
    expect(preferredCoding(accepted)).toBe(coding);
  });
});

describe('a body', () => {
  const long = `{"text":"${'x'.repeat(4000)}${[...Array(2000).keys()].join()}"}`;
  const put = async (body: Buffer, coding: string) => {
    const { answer, events } = await send({ PutOpen: thing }, [['Content-Encoding', coding]], {
      method: 'PUT',
      target: '/open',
      body,
    });
    return { answer, event: events[0]?.[1] };
  };

  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['identity', (text: string) => Buffer.from(text)],
  ] as [string, (text: string) => Buffer][])(
    'in %s reaches the function decompressed',
    async (coding, compress) => {
      const { answer, event } = await put(compress(long), coding);
      expect(answer.status).toBe(200);
      expect(event).toMatchObject({
        body: long,
        isBase64Encoded: false,
        headers: { 'Content-Encoding': coding },
      });
    },
  );

  test("smaller than the template's minimum size is not decompressed", async () => {
    const { event } = await put(gzipSync('{}'), 'gzip');
    expect((event as { body: string }).body.slice(0, 2)).toBe('\u001F\uFFFD');
    expect(await put(Buffer.from('{}'), 'br')).toMatchObject({ event: { body: '{}' } });
  });

  test.each([
    ['in a coding that is not known', brotliCompressSync(Buffer.from(long + long, 'latin1')), 'br'],
    ['in two', gzipSync(gzipSync(long)), 'gzip, gzip'],
    ['that is not in its coding', Buffer.from(long), 'gzip'],
    ['that is cut short', gzipSync(long).subarray(0, -20), 'gzip'],
  ])('%s is answered 415, and no function sees it', async (_, body, coding) => {
    const enough = Buffer.concat([body, Buffer.alloc(body.length < 1024 ? 1024 : 0)]);
    const { answer, event } = await put(enough, coding);
    expect(answer).toMatchObject({ status: 415, body: '{"message":"Unsupported Media Type"}' });
    expect(event).toBeUndefined();
  });

  test('that is too large once decompressed is answered 413, and is not decompressed further', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const before = process.memoryUsage().arrayBuffers;
    const { answer, event } = await put(bomb, 'gzip');
    expect(answer).toMatchObject({ status: 413, body: '{"message":"Request Too Long"}' });
    expect(event).toBeUndefined();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * maxBytes);
    const letters = (length: number) => put(gzipSync(Buffer.alloc(length, 'a')), 'gzip');
    expect((await letters(maxBytes - 4096)).answer.status).toBe(200);
  });

  test('that makes an event of more than 6 MB is answered 413, since Lambda refuses it, and so the access log says', async () => {
    const accesses: object[] = [];
    const ofBytes = async (length: number, type: string) => {
      const headers: [string, string][] = [['Content-Type', type]];
      const body = Buffer.alloc(length, 0xff);
      const { answer, events } = await send(
        { PutOpen: thing },
        headers,
        { method: 'PUT', target: '/open', body },
        (access) => accesses.push(access),
      );
      return [answer.status, events.length];
    };
    const multipart = 'Multipart/Form-Data; boundary="x"';
    // In text, each invalid byte becomes three bytes; in Base64, three bytes become four.
    expect(await ofBytes(2_200_000, 'text/plain')).toEqual([413, 0]);
    expect(await ofBytes(4_600_000, multipart)).toEqual([200, 1]);
    expect(await ofBytes(4_800_000, multipart)).toEqual([413, 0]);
    expect(accesses).toMatchObject([
      { status: 413, integration: { status: 413 } },
      { status: 200 },
      { status: 413 },
    ]);
  });

  test('of a binary media type reaches the function in Base64', async () => {
    const sent = (type: string, body = Buffer.from([0xff, 0x61])) =>
      send({ PutOpen: thing }, [['content-type', type]], { method: 'PUT', target: '/open', body });
    for (const type of ['multipart/form-data', 'MULTIPART/form-data ; boundary=x']) {
      expect((await sent(type)).events[0]?.[1]).toMatchObject({ body: '/2E=', isBase64Encoded: true });
    }
    expect((await sent('multipart/form-data', Buffer.alloc(0))).events[0]?.[1]).toMatchObject({
      ...{ body: null, isBase64Encoded: false },
    });
    expect((await sent('multipart/mixed')).events[0]?.[1]).toMatchObject({
      ...{ body: '\uFFFDa', isBase64Encoded: false },
    });
  });
});

test('an unknown intrinsic function is refused', () => {
  expect(() => resolve({ 'Fn::ImportValue': 'x' })).toThrow('The template uses Fn::ImportValue');
});
