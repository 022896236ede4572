import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { endpoint, ok } from '../../../shared/contract/endpoint.ts';
import { notFound } from '../../../shared/core/failure.ts';
import { requestId, served } from './invocation.ts';

const thing = endpoint({
  method: 'GET',
  path: '/v1/thing',
  scope: 'public',
  access: 'none',
  summary: '',
  description: '',
  params: {},
  responses: { 200: v.strictObject({ name: v.string() }) },
  cache: { seconds: 60 },
  errors: [404],
  example: { response: {} },
});

const asking = (ifNoneMatch?: string) => ({
  change: (event: object) => ({
    ...event,
    headers: ifNoneMatch === undefined ? null : { 'If-None-Match': ifNoneMatch },
  }),
});

const send = served(thing, () => ok({ name: 'Ann' }));
const { answer: first } = await send();
const tag = String(first.headers!['ETag']);
/** A proxy may make the tag strong. */
const strong = tag.slice(2);

test('a 200 has a weak tag of its body, since API Gateway can compress it, and says how long it may be kept', async () => {
  expect(first).toEqual({
    statusCode: 200,
    headers: {
      'Content-Type': 'application/json',
      ETag: expect.stringMatching(/^W\/"[\w-]{16}"$/) as string,
      'Cache-Control': 'public, max-age=60',
      Vary: 'Accept-Encoding',
      'X-Request-Id': requestId,
    },
    body: '{"name":"Ann"}',
  });
  const tagOf = async (name: string) => (await served(thing, () => ok({ name }))()).answer.headers!['ETag'];
  expect(await tagOf('Ann')).toBe(tag);
  expect(await tagOf('Bob')).not.toBe(tag);
});

test('an endpoint that any origin may read says so in an error, too', async () => {
  const fail = () => {
    throw new Error('broken');
  };
  const { answer } = await served({ ...thing, anyOrigin: true }, fail)();
  expect(answer).toMatchObject({ statusCode: 500, headers: { 'Access-Control-Allow-Origin': '*' } });
  const other = await served(thing, fail)();
  expect(other.answer.headers).not.toHaveProperty('Access-Control-Allow-Origin');
});

describe('If-None-Match', () => {
  test.each([
    ['the tag', tag],
    ['the tag as a strong one', strong],
    ['a list with the tag', `"a", ${tag} , "b,c"`],
    ['a list with the strong one', `W/"a",${strong}`],
    ['anything', ' * '],
  ])('of %s is 304 without a body', async (_, given) => {
    const { answer, line } = await send(asking(given));
    const { ETag, Vary, 'Cache-Control': control } = first.headers!;
    const headers = { ETag, Vary, 'Cache-Control': control, 'X-Request-Id': requestId };
    expect(answer).toEqual({ statusCode: 304, headers, body: '' });
    expect(line).toMatchObject({ level: 'info', status: 304, answer: '304' });
  });

  test.each([
    ['none', undefined],
    ['nothing', ''],
    ['another tag', '"a"'],
    ['others', '"a", W/"b"'],
    ['the tag without quotes', strong.slice(1, -1)],
    ['a longer tag', `W/"x${strong.slice(1)}`],
    ['a star among others', '"a", *'],
  ])('of %s is 200', async (_, given) => {
    expect((await send(asking(given))).answer).toEqual(first);
  });

  test('adds nothing to a response other than 200', async () => {
    const creating = { ...thing, responses: { 201: v.strictObject({}) } };
    const created = { status: 201, body: {} } as const;
    const { answer: created201 } = await served(creating, () => created)(asking('*'));
    expect(created201).toMatchObject({ statusCode: 201, body: '{}' });
    expect(created201.headers).not.toHaveProperty('ETag');
    expect(created201.headers).toHaveProperty('Cache-Control', 'no-store');

    const { answer } = await served(thing, () => {
      throw notFound('thing');
    })(asking('*'));
    expect(answer).toMatchObject({ statusCode: 404 });
    expect(answer.headers).not.toHaveProperty('ETag');
    expect(answer.headers).toHaveProperty('Cache-Control', 'no-store');
  });
});

test('a body that changed between two requests is sent in full', async () => {
  let name = 'Ann';
  const changing = served(thing, () => ok({ name }));
  await changing();
  name = 'Bob';
  expect((await changing(asking(tag))).answer).toMatchObject({ statusCode: 200, body: '{"name":"Bob"}' });
});

test('only the client may keep a response that needs a token, and only for that token', async () => {
  const { answer } = await served({ ...thing, scope: 'leads:read' }, () => ok({ name: 'Ann' }))();
  expect(answer.headers).toMatchObject({
    'Cache-Control': 'private, max-age=60',
    Vary: 'Authorization, Accept-Encoding',
  });
});

test('an endpoint without caching in its contract answers without a tag, with any request header', async () => {
  const { cache, ...plain } = thing;
  const { answer } = await served(plain, () => ok({ name: 'Ann' }))(asking('*'));
  expect(cache).toBeDefined();
  expect(answer).toMatchObject({ statusCode: 200, headers: { 'Content-Type': 'application/json' } });
  expect(Object.keys(answer.headers!)).toEqual(['Cache-Control', 'Content-Type', 'X-Request-Id']);
});
