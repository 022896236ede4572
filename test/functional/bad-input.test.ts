import { beforeAll, describe, expect, test } from 'vitest';
import { sentences } from '../../shared/contract/errors.ts';
import { createLeadEndpoint, getLeadEndpoint, listLeadsEndpoint } from '../../shared/contract/leads.ts';
import { setup, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

const json = { 'Content-Type': 'application/json' };
const malformed = (line: number, column: number) =>
  `The body cannot be read as JSON: line ${line}, column ${column}`;
const post = (body: string, headers: Record<string, string> = json) =>
  world.ours.api.send('POST', '/v1/leads', { headers, body });

describe('a body', () => {
  test.each([
    ['a name that is a number', { name: 7 }, 'name', 'must be a string'],
    ['no name at all', { email: 'a@example.com' }, 'firstName', 'is required where there is no name'],
    ['a blank name', { name: '   ' }, 'firstName', 'is required where there is no name'],
    ['an empty body', {}, 'firstName', 'is required where there is no name'],
    ['an unknown field', { name: 'Ann', nmae: 'Ann' }, 'nmae', 'is not a known field'],
    ['a null for a name', { name: null }, 'firstName', 'is required where there is no name'],
    [
      'an unknown status',
      { name: 'Ann', status: 'new' },
      'status',
      'must be one of pending, active, quoted, won, lost, archived',
    ],
    ['a text as socials', { name: 'Ann', socials: 'x' }, 'socials', 'must be an object'],
    ['a number within socials', { name: 'Ann', socials: { x: 1 } }, 'socials.x', 'must be a string'],
    [
      'too many socials',
      { name: 'Ann', socials: Object.fromEntries([...Array(21).keys()].map((n) => [n, ''])) },
      'socials',
      'must have at most 20 entries',
    ],
    ['a name that is too long', { firstName: 'x'.repeat(101) }, 'firstName', 'must be at most 100 long'],
    ['no email address', { name: 'Ann', email: 'ann' }, 'email', 'must be an email address'],
    [
      'an email address that is too long',
      { name: 'Ann', email: `${'a'.repeat(250)}@b.co` },
      'email',
      'must be at most 254 long',
    ],
    [
      'no phone number',
      { name: 'Ann', phone: 'call me' },
      'phone',
      'must be a phone number, either national or starting with +',
    ],
    [
      'a phone number that is too short',
      { name: 'Ann', phone: '0412' },
      'phone',
      'must be a phone number, either national or starting with +',
    ],
    ['two lines', { name: 'Ann\nLee' }, 'name', 'must be a single line of text'],
    [
      'a first name in its name that is too long',
      { name: 'x'.repeat(101) },
      'name',
      'must be a first and a last name of at most 100 each',
    ],
    [
      'social media without a name',
      { name: 'Ann', socials: { '': 'x' } },
      'socials.',
      'is a field without a name',
    ],
    [
      'a control character',
      { name: 'Ann', socials: { x: '\u0000' } },
      'socials.x',
      'must have no control characters but tabs and line breaks',
    ],
    ['an array as socials', { name: 'Ann', socials: [] }, 'socials', 'must be an object'],
    [
      'a field named like what every object has',
      { name: 'Ann', toString: 'x' },
      'toString',
      'is not a known field',
    ],
    [
      'social media of such a name',
      { name: 'Ann', socials: { constructor: 'x' } },
      'socials.constructor',
      'is not a known field',
    ],
    ['half a character', { name: 'Ann', suburb: '\ud800' }, 'suburb', 'must be valid Unicode text'],
  ])('with %s is 400 and names the field', async (_, body, field, message) => {
    const error = await world.ours.api.failure(createLeadEndpoint, 400, { body });
    expect(error.details).toEqual([{ field, message }]);
    expect(error.message).toBe(`${field} ${message}`);
  });

  test('with a field of a long name names only its beginning', async () => {
    const error = await world.ours.api.failure(createLeadEndpoint, 400, {
      body: { name: 'Ann', ['x'.repeat(9999)]: 1 },
    });
    expect(error.details).toEqual([{ field: 'x'.repeat(100), message: 'is not a known field' }]);
  });

  test.each([
    ['__proto__', '{"name":"Ann","__proto__":{"isOptedOut":true}}'],
    ['constructor', '{"name":"Ann","constructor":{"prototype":{"admin":true}}}'],
    ['socials.__proto__', '{"name":"Ann","socials":{"__proto__":"x"}}'],
    ['socials.constructor', '{"name":"Ann","socials":{"constructor":{"prototype":"x"}}}'],
  ])('with the field %s names it, and inherits nothing', async (field, body) => {
    const details = [{ field, message: 'is not a known field' }];
    expect(await post(body)).toMatchObject({ status: 400, body: { error: { details } } });
    const batch = { headers: json, body: `{"leads":[${body}]}` };
    expect(await world.ours.api.send('POST', '/v1/leads/batch', batch)).toMatchObject({
      body: { results: [{ status: 'error', message: `${field} is not a known field` }] },
    });
    expect({}).not.toHaveProperty('admin');
  });

  test('with several problems names them all', async () => {
    const error = await world.ours.api.failure(createLeadEndpoint, 400, {
      body: { name: 1, suburb: 2, status: 'x' },
    });
    expect(error.details?.map(({ field }) => field)).toEqual(['name', 'suburb', 'status']);
  });

  test.each([
    ['that is cut off', '{"name":', malformed(1, 9)],
    ['with a trailing comma', '{\n  "name": "Ann",\n}', malformed(3, 1)],
    ['with a comma too many', '\uFEFF{"name":"Ann","faqs":[1,]}', malformed(1, 25)],
    ['with a line break in a text', '{"name":"🦊 Ann\r\nLee"}', malformed(1, 15)],
    [
      'with a value without quotes',
      `{"name":"in JSON at position 5","email":${' '.repeat(80)}ann}`,
      malformed(1, 121),
    ],
    ['with text behind it', '{}\r\n\r\n x', malformed(3, 2)],
    ['that is empty', '', 'The body must be a JSON object'],
    ['that is null', 'null', 'The body must be a JSON object'],
    ['that is an array', '[{"name":"Ann"}]', 'The body must be a JSON object'],
    ['that is a text', '"Ann"', 'The body must be a JSON object'],
    ['that is a number', '1e999', 'The body must be a JSON object'],
    ['nested 40,000 deep', '{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000), sentences.tooDeep],
  ])('%s is 400', async (_, body, message) => {
    const answer = await post(body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message, details: [{ field: '', message }] } },
    });
  });

  test('over 256 KB is 413; just below, it is read', async () => {
    const bodyOf = (bytes: number) => `{"name":"Ann","suburb":"${'x'.repeat(bytes - 26)}"}`;
    expect(bodyOf(1000).length).toBe(1000);
    expect(await post(bodyOf(256 * 1024))).toMatchObject({ status: 400 });
    expect(await post(bodyOf(256 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { error: { message: 'The body must be at most 256 KB' } },
    });
  });

  test('without a content type is 415', async () => {
    expect(await post('{"name":"Ann"}', { 'Content-Type': '' })).toMatchObject({ status: 415 });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'as %s is 415',
    async (type) => {
      expect(await post('{"name":"Ann"}', { 'Content-Type': type })).toMatchObject({
        status: 415,
        body: { error: { message: 'The Content-Type must be application/json' } },
      });
    },
  );

  test.each([
    'application/json; charset=utf-8',
    'application/json ; charset=utf-8',
    'APPLICATION/JSON',
    'application/merge-patch+json',
  ])('as %s is read', async (type) => {
    expect(await post('{"name":"Ann"}', { 'content-type': type })).toMatchObject({ status: 201 });
  });

  test('keeps any text unchanged', async () => {
    const texts = ['Zoë 🦊', "Robert'); DROP TABLE leads;--", '${x} $context.requestId', 'ǅ'];
    for (const firstName of texts) {
      const { lead } = await world.ours.api.call(createLeadEndpoint, {
        body: { firstName, suburb: ` ${firstName}`, socials: { [firstName]: `\t\n${firstName} ` } },
      });
      expect(lead).toMatchObject({
        firstName,
        suburb: firstName,
        socials: { [firstName]: `\t\n${firstName} ` },
      });
      expect((await world.ours.api.call(getLeadEndpoint, { params: { leadId: lead.id } })).lead).toEqual(
        lead,
      );
    }
  });
});

test('no refused request is stored', async () => {
  const { ours } = await setup();
  await ours.api.failure(createLeadEndpoint, 400, { body: { name: 'Ann', phone: '1' } });
  await ours.api.failure(createLeadEndpoint, 400, { body: { name: 'Ann', oops: 1 } });
  expect((await ours.api.call(listLeadsEndpoint)).totalCount).toBe(0);
});

test('a path that is not valid percent-encoding is 400 in the envelope', async () => {
  expect(await world.ours.api.send('GET', '/v1/leads/%zz')).toMatchObject({ status: 400 });
});

test('any text as an id is 404', async () => {
  for (const id of ['%00', '..%2f..', '🦊', 'x'.repeat(5000), '__proto__', 'lead_IIIIIIIIIIIIIIII']) {
    expect(await world.ours.api.send('GET', `/v1/leads/${encodeURIComponent(id)}`)).toMatchObject({
      status: 404,
    });
  }
});
