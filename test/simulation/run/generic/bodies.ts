import * as v from 'valibot';
import { collections } from '../../../../infra/admin/table/collections.ts';
import type { Endpoint, Schema } from '../../../../shared/contract/endpoint.ts';
import { collectionLabelled, operations } from '../contracts.ts';
import { foreignWords, inSomeCase, someId, someNumber, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';

type Entries = Readonly<Record<string, Schema>>;

const entriesOf = (schema: Schema | undefined): Entries =>
  schema && 'entries' in schema ? (schema.entries as Entries) : {};

/** Schema without what makes it optional or nullable. */
const unwrapped = (schema: Schema): Schema =>
  'wrapped' in schema ? unwrapped(schema.wrapped as Schema) : schema;

const isOptional = ({ type }: Schema) => type.endsWith('optional') || type === 'nullish';

/** Names of the fields that a body can have. */
export const fieldsOfBody = ({ body }: Endpoint): string[] => Object.keys(entriesOf(body));

/** Fields of the examples of all operations on a resource, so that a change can change all that is created. */
function examplesFor(path: string): Fields {
  const resourceOf = (one: string) => one.split('/{')[0]!.replace(/\/batch$/, '');
  const bodies = operations
    .filter(({ endpoint }) => resourceOf(endpoint.path) === resourceOf(path))
    .map(({ endpoint }) => endpoint.example.body as Fields | undefined);
  return Object.assign({}, ...bodies) as Fields;
}

/** Collection of the record that a field such as `tradeCategoryId` names; undefined for another field. */
function collectionNamedBy(field: string): string | undefined {
  const [, named = ''] = /^(\w+)Ids?$/.exec(field) ?? [];
  return collections.find(({ label }) => named.toLowerCase().endsWith(label))?.name;
}

/** Texts of a form that must not change: numbers, times and addresses. */
const isFormal = (text: string) => /^[\d +:.TZ-]+$|@|:\/\//.test(text);

/** Value similar to an example. */
function someLike(planner: Planner, example: unknown, schema: Schema, field: string): unknown {
  const { draw, variety, organization } = planner;
  if (typeof example === 'boolean') return draw.happens(0.5);
  if (typeof example === 'number') {
    const named = collectionNamedBy(field);
    // The first records of an organization are there from its beginning.
    if (named !== undefined && organization.lastOf(named) >= example && draw.happens(0.6)) return example;
    return named === undefined
      ? draw.pick([example, draw.whole(0, 2 * example)])
      : someNumber(planner, named);
  }
  if (schema.type === 'picklist' && 'options' in schema)
    return draw.happens(0.6) ? example : draw.pick(schema.options as unknown[]);
  if (typeof example === 'string') {
    const [, prefix] = /^([a-z]+)_[0-9A-Z]{16}$/.exec(example) ?? [];
    if (prefix !== undefined)
      return someId(planner, collections.find((one) => one.prefix === prefix)?.name ?? 'USER');
    if (isFormal(example)) return draw.happens(0.7) ? example : '';
    const words = draw.happens(0.6) ? inSomeCase(planner, example) : draw.pick(foreignWords);
    return `${words} ${draw.whole(1, variety)}`;
  }
  if (Array.isArray(example)) {
    const item = 'item' in schema ? unwrapped(schema.item as Schema) : schema;
    const all = example.map((one) => someLike(planner, one, item, field));
    return draw.pick([all, all.slice(1)]);
  }
  if (typeof example !== 'object' || example === null) return example;
  return someFields(planner, example as Fields, entriesOf(schema));
}

/**
 * Fields similar to the fields of an example. Either all with few differences, or the required fields with some
 * of the others.
 */
function someFields(planner: Planner, example: Fields, entries: Entries): Fields {
  const { draw } = planner;
  const isWhole = draw.happens(0.5);
  const isKnown = ([field, schema]: [string, Schema]) =>
    field in example || unwrapped(schema).type === 'boolean';
  const given = Object.entries(entries)
    .filter(isKnown)
    .filter(
      ([field, schema]) => !isOptional(schema) || draw.happens(isWhole && field in example ? 0.9 : 0.3),
    );
  return Object.fromEntries(
    given.map(([field, schema]) => {
      const known = example[field] ?? false;
      const value = draw.happens(isWhole ? 0.4 : 0.9)
        ? someLike(planner, known, unwrapped(schema), field)
        : known;
      return [field, v.safeParse(schema, value).success ? value : known];
    }),
  );
}

/** Number of tries of a body, until its fields fit together. */
const maxTries = 4;

/** Body of a request by its examples. Few bodies are wrong by themselves. */
export function someBody(planner: Planner, endpoint: Endpoint): Fields {
  const { path, body } = endpoint;
  const examples = examplesFor(path);
  if (endpoint.batch) return someBatch(planner, examples, endpoint);
  for (let tries = 1; ; tries++) {
    const fields = someFields(planner, examples, entriesOf(body));
    if (tries === maxTries || !body || v.safeParse(body, fields).success) return fields;
  }
}

/** Changes of several records, each as a change of that record alone. Some are of the same record, some of none. */
function someBatch(
  planner: Planner,
  examples: Fields,
  { body, batch }: Pick<Endpoint, 'body' | 'batch'>,
): Fields {
  const single = operations.find(
    ({ endpoint }) => endpoint.method === 'PUT' && endpoint.record?.in === batch?.in,
  )?.endpoint;
  const collection = collectionLabelled(batch?.in ?? '') ?? '';
  const size = planner.draw.whole(1, planner.draw.happens(0.1) ? 15 : 5);
  const items = Array.from({ length: size }, () => ({
    ...someFields(planner, examples, entriesOf(single?.body)),
    id: someNumber(planner, collection),
  }));
  return Object.fromEntries(Object.keys(entriesOf(body)).map((list) => [list, items]));
}
