import type { OrganizationCode } from '../../core/ids.ts';
import { foldForSearch } from '../../core/fold-case.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf } from './collection.ts';
import { keyNamesOf, recordsPartition, searchPartition, type SearchIndex } from './keys.ts';
import { numberAt, parseRecord } from './stored-record.ts';
import type { TableClient, StartKey } from './table-client.ts';
import { truncateForSortKey, compareSortKeys, foldedSearchables, searchIndexesOf } from './searchables.ts';

/** Matching entries of one index that were read and not yet taken, by sort key ascending. */
interface IndexMatches {
  readonly index: SearchIndex;
  readonly partition: string;
  /** Partition of the table with the records. */
  readonly pkOfItems: string;
  readonly held: Item[];
  /** Position of the next read: a start key, the start, or the end. */
  next: StartKey | 'start' | 'end';
}

/**
 * Implements `LedgerReader.findByPrefix`. Merges the sorted search indexes. Together, the indexes hold at most `max`
 * entries that are not taken yet, so at most `max` entries are read in vain.
 */
export async function findByPrefix<C extends Collection>(
  table: TableClient,
  organization: OrganizationCode,
  collection: C,
  { prefix, max }: { prefix: string; max: number },
): Promise<RecordOf<C>[]> {
  const folded = foldForSearch(prefix);
  if (folded === '') return [];
  const pkOfItems = recordsPartition(organization, collection.name);
  const all = searchIndexesOf(collection).map((index): IndexMatches => {
    const partition = searchPartition(organization, collection.name, index);
    return { index, partition, pkOfItems, held: [], next: 'start' };
  });
  const found = new Map<number, RecordOf<C>>();
  while (found.size < max) {
    // Repeats if a read returned only items that are no records of the collection.
    while (all.some(isUnknown))
      await readOn(table, all, truncateForSortKey(folded), { max, left: max - found.size });
    const first = firstOf(all);
    const item = first?.held.shift();
    if (!first || !item) break;
    const number = numberAt(item);
    if (found.has(number)) continue;
    const record = parseRecord(collection, item);
    // The sort key has only the beginning of a long field, and can be older than the record.
    const isMatch = foldedSearchables(collection, record)[all.indexOf(first)]?.startsWith(folded);
    if (isMatch) found.set(number, record);
  }
  return [...found.values()];
}

/** Implements `LedgerReader.findBetween`. In a sort key, a tab follows the field: it comes before all characters of a line. */
export async function findBetween<C extends Collection>(
  table: TableClient,
  organization: OrganizationCode,
  collection: C,
  { searchable, from, to, max }: { searchable: string; from: string; to: string; max: number },
): Promise<RecordOf<C>[]> {
  const index = searchIndexesOf(collection)[Object.keys(collection.searchables ?? {}).indexOf(searchable)];
  const [first, end] = [from, to].map((text) => truncateForSortKey(foldForSearch(text)));
  // DynamoDB refuses a range that ends before it begins.
  if (index === undefined || first === undefined || end === undefined || compareSortKeys(first, end) >= 0)
    return [];
  const items = await table.between(
    { index, ...keyNamesOf(index), pk: searchPartition(organization, collection.name, index) },
    { from: first, to: end },
    { limit: max, pkOfItems: recordsPartition(organization, collection.name) },
  );
  return items.map((item) => parseRecord(collection, item));
}

/** True if the next entry of an index is unknown until more is read. */
const isUnknown = ({ held, next }: IndexMatches) => held.length === 0 && next !== 'end';

/**
 * Minimum number of entries to ask of an index, even if fewer records are wanted: many entries may belong to records
 * that were found already.
 */
const fewest = 20;

/**
 * Reads the next entries of every index that has more, in parallel. Afterwards each index holds at most an
 * equal share of `max`, and no more than `left` or `fewest`, the larger of the two.
 */
async function readOn(
  table: TableClient,
  all: readonly IndexMatches[],
  prefix: string,
  { max, left }: { max: number; left: number },
): Promise<void> {
  const open = all.filter(({ next }) => next !== 'end');
  const heldByOthers = all.reduce((sum, one) => (open.includes(one) ? sum : sum + one.held.length), 0);
  const share = Math.max(1, Math.floor((max - heldByOthers) / open.length));
  const read = async (matches: IndexMatches) => {
    const { index, partition, pkOfItems, held, next } = matches;
    const count = Math.min(share, Math.max(left, fewest)) - held.length;
    if (count <= 0) return;
    const reply = await table.beginningWith(
      { index, ...keyNamesOf(index), pk: partition },
      { prefix, limit: count, from: typeof next === 'string' ? undefined : next, pkOfItems },
    );
    held.push(...reply.items);
    matches.next = reply.next ?? 'end';
  };
  await Promise.all(open.map(read));
}

/** The index with the lowest next entry; undefined if none has any. */
function firstOf(all: readonly IndexMatches[]): IndexMatches | undefined {
  const holding = all.filter(({ held }) => held.length > 0);
  return holding.reduce<IndexMatches | undefined>(
    (first, one) => (first && compareSortKeys(keyOfNext(first), keyOfNext(one)) <= 0 ? first : one),
    undefined,
  );
}

const keyOfNext = ({ index, held }: IndexMatches): string => String(held[0]?.[keyNamesOf(index).skName]);
