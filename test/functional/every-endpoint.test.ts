import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { findContracts, type Operation } from '../../infra/functions.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';
import { nameOf } from '../../infra/open-api/schemas.ts';
import { testedOperation } from '../support/operations.ts';
import { fill } from '../support/filled-records.ts';
import { clientOf } from '../support/client-of.ts';
import { twoOrganizations } from '../support/test-organization.ts';

/* Rules that hold for every endpoint of a kind. `revisions.full.test.ts` has the rules of entity tags. */

const contracts = await findContracts();
const { operations } = contracts;
const { ours, theirs } = await twoOrganizations();
const records = await fill(ours);
const { api } = ours;

/** A request that succeeds. */
const requestOf = ({ operationId }: Operation) => testedOperation(operationId).request(records, 1);

describe('an id in a path', () => {
  const withId = operations.flatMap((operation) =>
    Object.entries(operation.endpoint.params).map(([name, id]) => ({ ...operation, name, id })),
  );

  test('is in the path of the usual operations', () => {
    expect(withId.length).toBeGreaterThan(10);
  });

  test.each(withId)(
    'of $operationId is answered alike, unknown or malformed',
    async ({ name, id, ...operation }) => {
      const { endpoint } = operation;
      const { params = {}, ...request } = requestOf(operation);
      const client = await clientOf(ours, endpoint);
      const known = String(params[name]);
      const isNumber = /^\d+$/.test(known);
      const unknown = isNumber
        ? ['999999', '999999999999']
        : [ours.code, theirs.code].map((code) => `${known.slice(0, -16)}${code}0000ZZZZ`);
      const impossible = isNumber
        ? ['01', '1.0', '1e3', '1000000000000', 'one']
        : [`${known}0`, known.toLowerCase(), known.replace(/^[a-z]+_/, 'x_'), known.replace(/\w{16}$/, '')];
      const malformed = [
        '1.5',
        '0',
        '-1',
        'lead_1',
        'no-id',
        '\u0000',
        '😀',
        '%',
        '..%2f..',
        '__proto__',
        'x'.repeat(300),
      ];
      for (const value of unknown) expect(v.is(id.schema, value), `${value} is well-formed`).toBe(true);
      for (const value of malformed) expect(v.is(id.schema, value), `${value} is malformed`).toBe(false);
      for (const value of [...unknown, ...impossible, ...malformed, known.replace(/\w{8}$/, '00000000')]) {
        if (value === known) continue;
        await client.lacks(endpoint, { ...request, params: { ...params, [name]: value } }, id.label);
      }
    },
  );

  test.each(withId.filter(({ endpoint, name }) => name === Object.keys(endpoint.params)[0]))(
    'of $operationId in another organization is answered as one that never existed',
    async ({ name, id, ...operation }) => {
      // The other organization has no records, so the numbers of our records are unknown there too.
      const client = await clientOf(theirs, operation.endpoint);
      await client.lacks(operation.endpoint, requestOf(operation), id.label);
    },
  );
});

describe('a body', () => {
  interface Field {
    $ref?: string;
    type?: string | string[];
    enum?: string[];
    pattern?: string;
    readOnly?: true;
    minLength?: number;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    maxItems?: number;
  }
  const { schemas } = openApiDocument(contracts)['components'] as {
    schemas: Record<string, Field & { properties?: Record<string, Field>; required?: string[] }>;
  };
  const withBody = operations.flatMap((operation) => {
    const { body, takesForms, takesEvents } = operation.endpoint;
    const { properties, required } = (body && schemas[nameOf(body, contracts)]) ?? {};
    if (!properties || takesForms || takesEvents) return [];
    return [{ ...operation, fields: Object.entries(properties), required: required ?? [] }];
  });

  /** Sentences of some fields, by the usual sentence that they replace. */
  const own: Record<string, string> = {
    'url must not be empty': 'url must be a URL',
    'leads must be at most 100 long': 'leads The batch exceeds 100 items',
    'updates must be at most 100 long': 'updates The batch exceeds 100 items',
  };

  const noNull = 'cannot be null; leave it out';

  /** Values that break a rule of a field, each with the sentence that refuses it. */
  function mistakesIn({ $ref, ...field }: Field): [value: unknown, message: string][] {
    if ($ref) return mistakesIn(schemas[$ref.replace(/.*\//, '')]!);
    const { type, enum: names, pattern, minLength, maxLength, minimum, maximum, maxItems } = field;
    if (names)
      return [
        ['other', `must be one of ${names.join(', ')}`],
        [null, noNull],
      ];
    const isText = maxLength !== undefined;
    const all: Record<string, [unknown, string | false | undefined][]> = {
      string: [
        [7, 'must be a string'],
        [' \t', minLength === 1 && 'must not be empty'],
        ['x'.repeat((maxLength ?? 0) + 1), isText && `must be at most ${maxLength} long`],
        ['two\nlines', isText && pattern?.includes('\\x00-\\x1F') && 'must be a single line of text'],
        ['\ud800', isText && 'must be valid Unicode text'],
      ],
      number: [
        ['1', 'must be a number'],
        [null, !type?.includes('null') && noNull],
      ],
      boolean: [
        ['true', 'must be true or false'],
        [null, noNull],
      ],
      array: [
        [{}, 'must be an array'],
        [Array(1 + (maxItems ?? 0)).fill(7), maxItems !== undefined && `must be at most ${maxItems} long`],
      ],
      object: [[[], 'must be an object']],
    };
    const limits: [unknown, string | false][] = [
      [minimum! - 1, minimum !== undefined && `must be at least ${minimum}`],
      [maximum! + 1, maximum !== undefined && `must be at most ${maximum}`],
      [1.5, type === 'integer' && 'must be a whole number'],
    ];
    const [kind = ''] = [type ?? []].flat();
    const ofKind = kind === 'integer' ? all['number']! : (all[kind] ?? []);
    return [...ofKind, ...limits].flatMap(([value, message]) => (message ? [[value, message]] : []));
  }

  test.each(withBody)('of $operationId is refused beyond what the description says', async (operation) => {
    const { endpoint, fields, required } = operation;
    const { body, ...parts } = requestOf(operation);
    const refuses = async (mistakes: (readonly [name: string, value: unknown, message: string])[]) => {
      const wrong = Object.fromEntries(mistakes.map(([name, value]) => [name, value]));
      const answer = await api.failure(endpoint, 400, { ...parts, body: { ...body, ...wrong } });
      const told = (answer.details ?? []).map(({ field, message }) =>
        // Some fields have an example of the string.
        `${field} ${message}`.replace(/(?<=must be a string) such as ".+"$/, ''),
      );
      const problems = mistakes.map(([name, , message]) => own[`${name} ${message}`] ?? `${name} ${message}`);
      expect(told).toEqual(expect.arrayContaining(problems));
    };
    const mistakes = fields
      .filter(([, { readOnly }]) => !readOnly)
      .map(([name, field]) =>
        mistakesIn(field)
          .filter(([value]) => value !== null || !required.includes(name))
          .map(([value, message]) => [name, value, message] as const),
      );
    // In each round, every field has its next mistake.
    for (let at = 0; at < Math.max(...mistakes.map(({ length }) => length)); at++)
      await refuses(mistakes.flatMap((ofField) => ofField.slice(at, at + 1)));
    const missing = required.map((name) => [name, null, 'is required'] as const);
    await refuses([...missing, ['oops', 1, 'is not a known field']]);
  });
});

describe('a query parameter', () => {
  // Forms take any other parameter as a field.
  const refusing = operations.filter(({ endpoint }) => endpoint.scope !== 'public' && !endpoint.takesForms);

  test.each(refusing)('that $operationId does not know is refused', async (operation) => {
    const parts = { ...requestOf(operation), query: { colour: 'red' } };
    const client = await clientOf(ours, operation.endpoint);
    await client.refuses(operation.endpoint, parts, 'colour is not a known query parameter');
  });

  test('of a public page is ignored', async () => {
    expect(await api.send('GET', '/openapi?utm_source=mail')).toMatchObject({ status: 200 });
  });
});

describe('a list', () => {
  const lists = operations.filter(({ endpoint }) => 'page' in (endpoint.example.query ?? {}));

  test.each(lists)('$operationId refuses a page or a page size out of range', async (operation) => {
    const { endpoint } = operation;
    for (const [problem, ...values] of [
      ['page must be at least 1', '0', '-1'],
      ['page must be a whole number', '1.5', 'two', '', '1e3'],
      ['page must be at most 9007199254740991', '9007199254740992'],
      ['limit must be at least 1', '0'],
      ['limit must be at most 100', '101'],
      ['limit must be a whole number', '050', '+5', ' 5', '50.0', '0x5', '5e0', '', '-0', '٥'],
    ] as const) {
      const [name] = problem.split(' ');
      for (const value of values)
        await api.refuses(endpoint, { ...requestOf(operation), query: { [name!]: value } }, problem);
    }
  });

  const walked = lists.filter(({ endpoint }) => 'after' in (endpoint.query?.entries ?? {}));

  test.each(walked)('$operationId can be walked through, in both orders', async (operation) => {
    const { endpoint } = operation;
    const client = await clientOf(ours, endpoint);
    const read = async (query: Record<string, string>) => {
      const { query: usual, ...request } = requestOf(operation);
      const answer = await client.call(endpoint, {
        ...request,
        query: { ...usual, limit: '1', ...query },
      });
      const { nextAfter = 'none', ...page } = answer as { nextAfter?: string | null };
      const records: unknown = Object.values(page).find((each) => Array.isArray(each));
      return { nextAfter, records: records as unknown[] };
    };
    const walk = async (order: string) => {
      let { records, nextAfter } = await read({ order });
      const all: unknown[] = records;
      while (nextAfter !== null) {
        ({ records, nextAfter } = await read({ after: nextAfter }));
        all.push(...records);
      }
      return all;
    };
    const newest = await walk('newest');
    expect(newest, 'test/support/filled-records.ts has no record of this list').not.toEqual([]);
    expect(await walk('oldest')).toEqual(newest.toReversed());
    const { records } = await read({ limit: '100' });
    expect([newest, newest.toReversed()]).toContainEqual(records);
  });

  test.each(lists.filter(({ endpoint }) => Object.keys(endpoint.params).length === 0))(
    '$operationId has the records of its own organization alone',
    async ({ operationId, endpoint }) => {
      const page = { page: Number.MAX_SAFE_INTEGER, limit: 100 };
      const count = async (organization: typeof ours) => {
        const body = await organization.api.call(endpoint, { query: page });
        return (body as { totalCount: number }).totalCount;
      };
      const [ownCount, theirCount] = [await count(ours), await count(theirs)];
      expect(ownCount).toBeGreaterThan(0);
      // Number of records that every organization begins with.
      const first: Record<string, number> = { listMembers: 1, listCategories: 2, listAccessTokens: 2 };
      expect(theirCount).toBe(first[operationId] ?? 0);
    },
  );
});
