import { answersRecord, type Endpoint } from '../contract/endpoint.ts';

/** Response for a principal who may not read the endpoint's records: each record has only its id. */
export function withIdsAlone(endpoint: Endpoint, body: unknown): unknown {
  const { record, batch } = endpoint;
  if (batch) return eachOf(body, batch.results, (one) => narrowed(withoutExistingId(one), batch.in));
  return record && answersRecord(endpoint) ? narrowed(body, record.in) : body;
}

/** Response for a principal who may not read the related records in it: each of those has only its id. */
export function withRelatedIdsAlone({ related }: Endpoint, body: unknown): unknown {
  if (!related) return body;
  const { in: field, items } = related;
  return items === undefined ? narrowed(body, field) : eachOf(body, items, (one) => narrowed(one, field));
}

/** Returns the record in this field of a body, or the body itself if `field` is undefined. */
export const recordIn = (body: unknown, field: string | undefined): unknown =>
  field === undefined ? body : fieldOf(body, field);

function eachOf(body: unknown, items: string, change: (one: unknown) => unknown): unknown {
  const each: unknown = fieldOf(body, items);
  return Array.isArray(each) ? { ...objectOf(body), [items]: each.map(change) } : body;
}

/** Result of a batch item without `existingId`. */
const withoutExistingId = (result: unknown): unknown =>
  Object.fromEntries(Object.entries(objectOf(result)).filter(([name]) => name !== 'existingId'));

/**
 * Reduces the record in a body to its id. A failed batch item has no record, and an inquiry has no lead after the lead
 * is deleted.
 */
function narrowed(body: unknown, field: string | undefined): unknown {
  if (field !== undefined && !fieldOf(body, field)) return body;
  const named = { id: fieldOf(recordIn(body, field), 'id') };
  return field === undefined ? named : { ...objectOf(body), [field]: named };
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
const fieldOf = (body: unknown, field: string): unknown => Reflect.get(objectOf(body), field);
