import { answersRecord, type Endpoint } from '../contract/endpoint.ts';

/** An answer for one who may not read what it is about: of each record, its id alone. */
export function withIdsAlone(endpoint: Endpoint, body: unknown): unknown {
  const { record, batch } = endpoint;
  if (batch) return eachOf(body, batch.results, (one) => narrowed(withoutExistingId(one), batch.in));
  return record && answersRecord(endpoint) ? narrowed(body, record.in) : body;
}

/** An answer for one who may not read the records of another subject in it: of each, its id alone. */
export function withRelatedIdsAlone({ related }: Endpoint, body: unknown): unknown {
  if (!related) return body;
  const { in: field, items } = related;
  return items === undefined ? narrowed(body, field) : eachOf(body, items, (one) => narrowed(one, field));
}

/** The record that an answer holds in this field, or that it is. */
export const recordIn = (body: unknown, field: string | undefined): unknown =>
  field === undefined ? body : fieldOf(body, field);

function eachOf(body: unknown, items: string, change: (one: unknown) => unknown): unknown {
  const each: unknown = fieldOf(body, items);
  return Array.isArray(each) ? { ...objectOf(body), [items]: each.map(change) } : body;
}

/** The result of an item of a batch without which record has its value already. */
const withoutExistingId = (result: unknown): unknown =>
  Object.fromEntries(Object.entries(objectOf(result)).filter(([name]) => name !== 'existingId'));

/** The item of a batch that failed has no record, nor has an inquiry whose lead is gone. */
function narrowed(body: unknown, field: string | undefined): unknown {
  if (field !== undefined && !fieldOf(body, field)) return body;
  const named = { id: fieldOf(recordIn(body, field), 'id') };
  return field === undefined ? named : { ...objectOf(body), [field]: named };
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
const fieldOf = (body: unknown, field: string): unknown => Reflect.get(objectOf(body), field);
