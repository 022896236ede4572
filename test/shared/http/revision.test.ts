import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { created, endpoint, ok } from '../../../shared/contract/endpoint.ts';
import { conflict } from '../../../shared/core/failure.ts';
import type { Handler } from '../../../shared/http/serve.ts';
import { served, type Sent } from './invocation.ts';

const parts = {
  path: '/v1/thing',
  access: 'put',
  summary: '',
  description: '',
  params: {},
  errors: [404, 409],
  example: { response: {} },
} as const;
const Thing = v.strictObject({ id: v.number(), name: v.string(), links: v.record(v.string(), v.string()) });
const Wrapped = v.strictObject({ thing: Thing });
const getThing = endpoint({
  ...parts,
  method: 'GET',
  scope: 'faqs:read',
  responses: { 200: Thing },
  record: {},
});
const createThing = endpoint({
  ...parts,
  method: 'POST',
  scope: 'faqs:create',
  responses: { 201: Wrapped },
  record: { in: 'thing' },
});
const changing = { ...parts, scope: 'faqs:write' } as const;
const changeThing = endpoint({
  ...changing,
  method: 'PUT',
  responses: { 200: Wrapped },
  record: { in: 'thing' },
});
const Gone = v.strictObject({ message: v.string() });
const deleteThing = endpoint({ ...changing, method: 'DELETE', responses: { 200: Gone }, record: {} });
const changeThings = endpoint({
  ...changing,
  method: 'PATCH',
  responses: { 200: v.strictObject({ results: v.array(v.looseObject({})) }) },
  batch: { results: 'results', in: 'thing' },
});

const thing = { id: 1, name: 'Ann', links: { a: 'x', b: 'y' } };
const changed = { ...thing, name: 'Bob' };
const change: Handler<typeof changeThing> = ({ refuseOutdated }) => {
  refuseOutdated(thing);
  return ok({ thing: changed });
};

const withHeaders =
  (given: Record<string, string>, more: object = {}) =>
  (event: Sent) => ({ ...event, headers: { ...event.headers, ...given }, ...more });
const sending = (given: Record<string, string>, scopes?: string) => ({
  ...(scopes !== undefined && { scopes }),
  change: withHeaders(given),
});
const tagOf = async (record: typeof thing, change?: (event: Sent) => object) => {
  const { answer } = await served(getThing, () => ok(record))(change ? { change } : {});
  return String(answer.headers!['ETag']);
};
const tag = await tagOf(thing);

describe('the tag of a record', () => {
  test('is strong, and the same from every endpoint and for every order of fields', async () => {
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(await tagOf({ links: { b: 'y', a: 'x' }, name: 'Ann', id: 1 })).toBe(tag);
    const { answer } = await served(createThing, () => created({ thing }))();
    expect(answer).toMatchObject({ statusCode: 201, headers: { ETag: tag } });
    const { answer: put } = await served(changeThing, change)();
    expect(put).toMatchObject({ statusCode: 200, headers: { ETag: await tagOf(changed) } });
  });

  test.each([
    ['another value', { ...thing, name: 'Bob' }],
    ['another value within', { ...thing, links: { a: 'x', b: 'z' } }],
    ['values swapped', { ...thing, links: { a: 'y', b: 'x' } }],
    ['a value more', { ...thing, links: { ...thing.links, c: '' } }],
  ])('is another for %s', async (_, other) => {
    expect(await tagOf(other)).not.toBe(tag);
  });

  test('differs between organizations', async () => {
    const elsewhere = ({ requestContext: { authorizer, ...context }, ...event }: Sent) => ({
      ...event,
      requestContext: { ...context, authorizer: { ...authorizer, organization: '6H8EV881' } },
    });
    expect(await tagOf(thing, elsewhere)).not.toBe(tag);
  });
});

describe('If-None-Match', () => {
  test.each([tag, `W/${tag}`, `"a", ${tag}`, '*'])('of %s is 304, which has the tag', async (given) => {
    const { answer } = await served(getThing, () => ok(thing))(sending({ 'If-None-Match': given }));
    expect(answer).toMatchObject({
      statusCode: 304,
      headers: { ETag: tag, 'Cache-Control': 'no-store' },
      body: '',
    });
    expect(answer.headers).not.toHaveProperty('Content-Type');
  });

  test.each(['"a"', 'nonsense', ''])('of %s is 200', async (given) => {
    const { answer } = await served(getThing, () => ok(thing))(sending({ 'If-None-Match': given }));
    expect(answer).toMatchObject({ statusCode: 200, headers: { ETag: tag }, body: JSON.stringify(thing) });
  });
});

describe('If-Match', () => {
  test.each([tag, `W/${tag}`, ` "a,b" , ${tag},`, ` ${tag} `, '*'])(
    'of %s lets the change through',
    async (given) => {
      const { answer } = await served(changeThing, change)(sending({ 'If-Match': given }));
      expect(answer).toMatchObject({ statusCode: 200, headers: { ETag: await tagOf(changed) } });
    },
  );

  test.each(['"a"', 'W/"a"', '"a", "b"', '""', `"x${tag.slice(1)}`])(
    'of %s is 412, which has the present tag',
    async (given) => {
      const { answer } = await served(changeThing, change)(sending({ 'If-Match': given }));
      expect(answer).toMatchObject({ statusCode: 412, headers: { ETag: tag } });
      expect(JSON.parse(answer.body)).toMatchObject({
        message: 'Precondition failed',
        error: {
          status: 412,
          message: 'The record is not, or no longer, the one that If-Match names; read it again',
        },
      });
    },
  );

  test.each(['', 'a', tag.slice(1, -1), `${tag} "b"`, `"a", *`, 'w/"a"', '"a', '*, *'])(
    'of %s is a 400',
    async (given) => {
      const { answer } = await served(changeThing, change)(sending({ 'If-Match': given }));
      expect(JSON.parse(answer.body)).toMatchObject({
        error: {
          status: 400,
          message: 'If-Match must be *, or tags in quotes, separated by commas',
          details: [{ field: 'If-Match', message: 'must be *, or tags in quotes, separated by commas' }],
        },
      });
    },
  );

  test('is answered, even if it is so long that a search with backtracking would not end', async () => {
    for (const given of [' ,'.repeat(2e6), '"a" '.repeat(1e6), '"a",'.repeat(1e6) + 'x']) {
      const { answer } = await served(changeThing, change)(sending({ 'If-Match': given }));
      expect(answer.statusCode).toBe(400);
    }
  });

  test('counts for a deletion, whose response has no tag', async () => {
    const remove = served(deleteThing, ({ refuseOutdated }) => {
      refuseOutdated(thing);
      return ok({ message: 'Gone' });
    });
    expect((await remove(sending({ 'If-Match': '"a"' }))).answer).toMatchObject({
      statusCode: 412,
      headers: { ETag: tag },
    });
    const { answer } = await remove(sending({ 'If-Match': tag }));
    expect(answer).toMatchObject({ statusCode: 200, body: '{"message":"Gone"}' });
    expect(answer.headers).not.toHaveProperty('ETag');
  });

  test('is ignored by a POST of a record, and by a batch', async () => {
    const given = sending({ 'If-Match': 'nonsense', 'If-None-Match': '*' });
    const { answer } = await served(createThing, ({ refuseOutdated }) => {
      refuseOutdated(thing);
      return created({ thing });
    })(given);
    expect(answer).toMatchObject({ statusCode: 201, headers: { ETag: tag } });
    const { answer: batch } = await served(changeThings, ({ refuseOutdated }) => {
      refuseOutdated(thing);
      return ok({ results: [{ thing }] });
    })(given);
    expect(batch).toMatchObject({ statusCode: 200, body: JSON.stringify({ results: [{ thing }] }) });
    expect(batch.headers).not.toHaveProperty('ETag');
  });
});

describe('a caller who may not read the record', () => {
  const scopes = 'faqs:write';

  test.each([scopes, 'write', 'faqs:create leads:read write'])(
    'gets only its id with %s, and no tag',
    async (narrow) => {
      const { answer } = await served(createThing, () => created({ thing }))({ scopes: narrow });
      expect(answer).toMatchObject({ statusCode: 201, body: '{"thing":{"id":1}}' });
      expect(answer.headers).not.toHaveProperty('ETag');
      const whole = { ...changeThing, responses: { 200: Thing }, record: {} };
      const { answer: unwrapped } = await served(whole, () => ok(thing))({ scopes: narrow });
      expect(unwrapped).toMatchObject({ statusCode: 200, body: '{"id":1}' });
    },
  );

  test('gets only the ids in a batch', async () => {
    const results = [{ status: 'ok', thing }, { status: 'error' }];
    const { answer } = await served(changeThings, () => ok({ results }))({ scopes });
    expect(JSON.parse(answer.body)).toEqual({
      results: [{ status: 'ok', thing: { id: 1 } }, { status: 'error' }],
    });
  });

  test('gets the usual response to a deletion', async () => {
    const { answer } = await served(deleteThing, () => ok({ message: 'Gone' }))({ scopes });
    expect(answer.body).toBe('{"message":"Gone"}');
  });

  test('does not learn the present tag', async () => {
    const { answer } = await served(changeThing, change)(sending({ 'If-Match': '"a"' }, scopes));
    expect(answer.statusCode).toBe(412);
    expect(answer.headers).not.toHaveProperty('ETag');
    const { answer: known } = await served(changeThing, change)(sending({ 'If-Match': tag }, scopes));
    expect(known.statusCode).toBe(200);
  });

  test('does not learn which record has a value already', async () => {
    const send = served(changeThing, () => {
      throw conflict('thing', 'name', { existingId: 7 });
    });
    const errorFor = async (scopes: string) => {
      const { error } = JSON.parse((await send({ scopes })).answer.body) as { error: object };
      return error;
    };
    const { existingId, ...error } = (await errorFor('faqs:write faqs:read')) as { existingId: number };
    expect(existingId).toBe(7);
    expect(await errorFor(scopes)).toEqual(error);
    expect(error).toMatchObject({ status: 409, details: [{ field: 'name', message: 'is taken' }] });
  });
});
