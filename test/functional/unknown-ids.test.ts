import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { setup, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

/** Operations with the id of a record in their path. */
const withId = (await findContracts()).operations.flatMap(({ operationId, endpoint }) =>
  Object.entries(endpoint.params).map(([name, id]) => ({ operationId, endpoint, name, id })),
);

/**
 * Ids that name no record, made from an example such as `lead_6H8EV88000000005` or `1`, and the codes of two
 * organizations.
 */
const unknownIds = (example: string, codes: string[]): string[] =>
  /^\d+$/.test(example) ? ['999999'] : codes.map((code) => `${example.slice(0, -16)}${code}0000ZZZZ`);

const malformedIds = ['1.5', '0', '-1', 'lead_1', 'no-id', '%00', '%F0%9F%98%80', 'x'.repeat(300)];

describe('an id in a path', () => {
  test('is a path variable of the usual operations', () => {
    expect(withId.length).toBeGreaterThan(10);
  });

  test.each(withId)('of $operationId is answered alike, unknown or malformed', async (operation) => {
    const { endpoint, name, id } = operation;
    const { method, path, body, example } = endpoint;
    const send = (value: string) =>
      world.ours.api.send(method, path.replace(`{${name}}`, value), {
        ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(example.body) }),
      });
    const unknown = unknownIds(example.params?.[name] ?? '', [world.ours.code, world.theirs.code]);
    for (const value of unknown) expect(v.is(id.schema, value), `${value} is well-formed`).toBe(true);
    for (const value of malformedIds) expect(v.is(id.schema, value), `${value} is malformed`).toBe(false);
    for (const value of [...unknown, ...malformedIds]) {
      const answer = await send(value);
      expect(answer, value).toMatchObject({
        status: 404,
        body: { message: 'Not found', error: { status: 404, message: `There is no such ${id.label}` } },
      });
    }
  });
});
