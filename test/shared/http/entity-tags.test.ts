import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { endpoint, ok } from '../../../shared/contract/endpoint.ts';
import { served } from './invocation.ts';

const Thing = v.strictObject({ id: v.number(), name: v.string(), links: v.record(v.string(), v.string()) });
const parts = {
  path: '/v1/thing',
  access: 'put',
  summary: '',
  description: '',
  params: {},
  responses: { 200: Thing },
  errors: [404, 409],
  example: { response: {} },
} as const;
const getThing = endpoint({ ...parts, method: 'GET', scope: 'faqs:read', record: {} });
const changeThing = endpoint({ ...parts, method: 'PUT', scope: 'faqs:write', record: {} });
const keptThing = endpoint({ ...parts, method: 'GET', scope: 'leads:read', cache: { seconds: 60 } });

const thing = { id: 1, name: 'Ann', links: { a: 'x', b: 'y' } };
const change = served(changeThing, ({ refuseOutdated }) => {
  refuseOutdated(thing);
  return ok({ ...thing, name: 'Bob' });
});
const sending = (headers: Record<string, string>) => ({
  change: (event: { headers: object }) => ({ ...event, headers: { ...event.headers, ...headers } }),
});
const tagOf = async (record: typeof thing) => {
  const { answer } = await served(getThing, () => ok(record))();
  return String(answer.headers!['ETag']);
};
const tag = await tagOf(thing);

test('the tag of a record is strong, and the same for every order of fields', async () => {
  expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect(await tagOf({ links: { b: 'y', a: 'x' }, name: 'Ann', id: 1 })).toBe(tag);
});

test.each([
  ['another value', { ...thing, name: 'Bob' }],
  ['another value within', { ...thing, links: { a: 'x', b: 'z' } }],
  ['values swapped', { ...thing, links: { a: 'y', b: 'x' } }],
  ['a value more', { ...thing, links: { ...thing.links, c: '' } }],
])('the tag of a record is another for %s', async (_, other) => {
  expect(await tagOf(other)).not.toBe(tag);
});

describe('If-Match', () => {
  test.each([
    ...[tag, `W/${tag}`, ` "a,b" , ${tag},`, ` ${tag} `, '*'].map((given) => [given, 200]),
    ...['"a"', 'W/"a"', '"a", "b"', '""', `"x${tag.slice(1)}`].map((given) => [given, 412]),
    ...['', 'a', tag.slice(1, -1), `${tag} "b"`, `"a", *`, 'w/"a"', '"a', '*, *'].map((given) => [
      given,
      400,
    ]),
  ] as [string, number][])('of %s is %i', async (given, status) => {
    const { answer } = await change(sending({ 'If-Match': given }));
    expect(answer.statusCode).toBe(status);
  });

  test('that names another record is answered with the present tag, and what to do', async () => {
    const { answer } = await change(sending({ 'If-Match': '"a"' }));
    expect(answer.headers).toMatchObject({ ETag: tag });
    expect(JSON.parse(answer.body)).toMatchObject({
      message: 'Precondition failed',
      error: { message: 'The record has changed since If-Match was read; read the record again' },
    });
  });

  test('is answered, even if it is so long that a search with backtracking would not end', async () => {
    for (const given of [' ,'.repeat(2e6), '"a" '.repeat(1e6), '"a",'.repeat(1e6) + 'x']) {
      const { answer } = await change(sending({ 'If-Match': given }));
      expect(answer.statusCode).toBe(400);
    }
  });
});

describe('an answer that may be kept', () => {
  let { name } = thing;
  const send = served(keptThing, () => ok({ ...thing, name }));

  test('is 304 to a client that has it, by its tag as a strong one, too, and 200 to any other', async () => {
    const { answer: first } = await send();
    const weak = String(first.headers!['ETag']);
    const strong = weak.slice(2);
    expect(weak).toMatch(/^W\/"[\w-]{16}"$/);
    for (const given of [weak, strong, `"a", ${weak} , "b,c"`, `W/"a",${strong}`, ' * '])
      expect((await send(sending({ 'If-None-Match': given }))).answer.statusCode, given).toBe(304);
    const others = ['', '"a"', '"a", W/"b"', strong.slice(1, -1), `W/"x${strong.slice(1)}`, '"a", *'];
    for (const given of others)
      expect((await send(sending({ 'If-None-Match': given }))).answer, given).toEqual(first);
    name = 'Bob';
    expect((await send(sending({ 'If-None-Match': weak }))).answer.statusCode).toBe(200);
  });

  test('to a token is kept by the client alone, and for that token alone', async () => {
    const { answer } = await served(keptThing, () => ok(thing))();
    expect(answer.headers).toMatchObject({
      'Cache-Control': 'private, max-age=60',
      Vary: 'Authorization, Accept-Encoding',
    });
  });

  test('may be read by any origin, even if it is an error', async () => {
    const { answer } = await served({ ...keptThing, anyOrigin: true }, () => {
      throw new Error('broken');
    })();
    expect(answer).toMatchObject({ statusCode: 500, headers: { 'Access-Control-Allow-Origin': '*' } });
  });
});
