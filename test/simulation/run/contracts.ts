import { collections } from '../../../infra/admin/table/collections.ts';
import { findContracts, type Operation } from '../../../infra/functions.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';

/** Operations that reach the table. */
export const operations: readonly Operation[] = (await findContracts()).operations.filter(
  ({ endpoint }) => endpoint.access !== 'none',
);

/** Name of the collection with this label, in any case; undefined if there is none. */
export const collectionLabelled = (label: string): string | undefined =>
  collections.find((one) => one.label.toLowerCase() === label.toLowerCase())?.name;

/** Collection of the last id in a path; undefined for another id, or none. */
const collectionInPath = ({ params }: Endpoint): string | undefined => {
  const last = Object.values(params).at(-1);
  return last && collectionLabelled(last.label);
};

/**
 * Collection of the record that an operation reads, makes, changes or deletes; undefined if its contract names
 * none.
 */
export function collectionOf({ record, params, scope }: Endpoint): string | undefined {
  const named = record?.in === undefined ? undefined : collectionLabelled(record.in);
  if (named !== undefined) return named;
  const last = Object.values(params).at(-1);
  return collectionLabelled(last?.label ?? scope.split(':')[0]!);
}

/** Collection of the records on the pages of an endpoint, by the last word of its path: `/v1/companies` has companies. */
export const collectionOnPages = (path: string): string | undefined =>
  collectionLabelled(path.replace(/.*\//, '').replace(/ies$/, 'y').replace(/s$/, ''));

/**
 * Subject of the scope that clients need to read a collection's records, for each collection with its own
 * GET.
 */
export const readable: ReadonlyMap<string, string> = new Map(
  operations.flatMap(({ endpoint }) => {
    const { method, record, params, scope } = endpoint;
    if (method !== 'GET' || !record) return [];
    const collection = Object.keys(params).length === 0 ? collectionOf(endpoint) : collectionInPath(endpoint);
    const isItself = record.in === undefined || collectionLabelled(record.in) === collection;
    return collection !== undefined && isItself ? [[collection, scope.split(':')[0]!] as const] : [];
  }),
);
