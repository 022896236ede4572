import * as v from 'valibot';
import { expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';

/** Parts of a schema that lead to the schemas of its fields. */
interface Shape {
  entries?: Record<string, unknown>;
  item?: unknown;
  value?: unknown;
  wrapped?: unknown;
  options?: readonly unknown[];
}

const isSchema = (part: unknown): part is v.GenericSchema => part instanceof Object && '~run' in part;

/** Schemas of all fields, at any depth. */
function fieldsOf(part: unknown): v.GenericSchema[] {
  if (!isSchema(part)) return [];
  const { entries = {}, item, value, wrapped, options = [] } = part as Shape;
  const fields = [...Object.values(entries), item, value, wrapped, ...options].flatMap(fieldsOf);
  return fields.length > 0 ? fields : [part];
}

const wrong = ['?', '2031-03-03', '1999-03-03T09:00:00Z', '2031-03-03T09:00', '2031-03-03T09:00:00'];

test('every example in the message of a rule is accepted by the field with that rule', async () => {
  const { operations } = await findContracts();
  const examples = operations
    .flatMap(({ endpoint: { body, query } }) => [body, query].flatMap(fieldsOf))
    .flatMap((field) =>
      wrong
        .flatMap((value) => v.safeParse(field, value).issues ?? [])
        .flatMap(({ message }) => [...message.matchAll(/such as (\S+\w)|\bor (\d\S+\w)/g)])
        .map(([sentence, first, example = first]) => ({ sentence, isAccepted: v.is(field, example) })),
    );
  expect(examples.filter(({ isAccepted }) => !isAccepted)).toEqual([]);
  expect(new Set(examples.map(({ sentence }) => sentence)).size).toBeGreaterThan(7);
});
