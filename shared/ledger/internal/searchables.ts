import { StringDecoder } from 'node:string_decoder';
import { foldForSearch } from '../../core/fold-case.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf } from './collection.ts';
import { keyNamesOf, sortable, searchIndexes, searchPartition, type SearchIndex } from './keys.ts';

/** Ends a text in a sort key. It comes before all that a line of text can have, so `ann` comes before `anna`. */
const end = '\t';

/** What DynamoDB takes as a sort key, less the end and the record's number. */
const maxBytes = 1024 - end.length - sortable(0).length;

/** The text indexes that this version of the code knows a collection's records to be in. */
export function searchIndexesOf({ name, searchables = {} }: Collection): readonly SearchIndex[] {
  const count = Object.keys(searchables).length;
  if (count > searchIndexes.length)
    throw new Error(`${name} has more searchable fields than there are search indexes`);
  return searchIndexes.slice(0, count);
}

/** A record's searchables as they are compared, in the order of the indexes; `''` where it has none. */
export const foldedSearchables = <C extends Collection>(
  { searchables = {} }: C,
  record: RecordOf<C>,
): string[] => Object.values(searchables).map((of) => foldForSearch(of(record)));

/** The attributes that put a record with these folded searchables into text indexes. */
export function searchAttributes(
  organization: OrganizationCode,
  { collection, number }: { collection: Collection; number: number },
  folded: readonly string[],
): Item {
  const attributes: Item = {};
  for (const [at, index] of searchIndexesOf(collection).entries()) {
    const text = folded[at] ?? '';
    if (text === '') continue;
    const { pkName, skName } = keyNamesOf(index);
    attributes[pkName] = searchPartition(organization, collection.name, index);
    attributes[skName] = `${truncateForSortKey(text)}${end}${sortable(number)}`;
  }
  return attributes;
}

/** The first part of a text: what a sort key can hold, or all. Ends at a whole character. */
export function truncateForSortKey(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // The decoder keeps back the first bytes of a character that was cut.
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, maxBytes));
}

/** Compares sort keys as DynamoDB does: by UTF-8, so by code point. */
export const compareSortKeys = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
