import { StringDecoder } from 'node:string_decoder';
import { foldForSearch } from '../../core/fold-case.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf } from './collection.ts';
import { keyNamesOf, sortable, searchIndexes, searchPartition, type SearchIndex } from './keys.ts';

/** Ends a field in a sort key. A line of text has no lower character, so `ann` comes before `anna`. */
const end = '\t';

/** Bytes that a sort key has for the field: DynamoDB's limit, less the end and the record's number. */
const maxBytes = 1024 - end.length - sortable(0).length;

/** The search indexes that a collection uses in this version of the code. */
export function searchIndexesOf({ name, searchables = {} }: Collection): readonly SearchIndex[] {
  const count = Object.keys(searchables).length;
  if (count > searchIndexes.length)
    throw new Error(`${name} has more searchable fields than there are search indexes`);
  return searchIndexes.slice(0, count);
}

/** A record's searchable fields, folded, in the order of the indexes; `''` for an empty one. */
export const foldedSearchables = <C extends Collection>(
  { searchables = {} }: C,
  record: RecordOf<C>,
): string[] => Object.values(searchables).map((of) => foldForSearch(of(record)));

/** The attributes that put a record with these folded fields into the search indexes. */
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

/** The longest beginning of a field that fits into a sort key, cut between characters. */
export function truncateForSortKey(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // The decoder drops the first bytes of a character that was cut.
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, maxBytes));
}

/** Compares sort keys as DynamoDB does: by UTF-8 bytes, so by code point. */
export const compareSortKeys = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
