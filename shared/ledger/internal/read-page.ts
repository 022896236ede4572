import type { Page, PageQuery } from '../../core/page.ts';
import { largestNumber } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { countsKey, holesKey, keyNamesOf, sortable } from './keys.ts';
import { emptyList, lengthOf, likelyBucket, pageNumbers, type ListState } from './list-state.ts';
import type { List } from './lists.ts';
import { countBits, holeBits, unpack } from './packed-numbers.ts';
import { numberAt } from './stored-record.ts';
import type { TableClient } from './table-client.ts';

/** The result of one try to read a page. Items are newest first. */
export interface PageAttempt extends Page<Item> {
  /** True if the items agree with the list's state. */
  isConsistent: boolean;
}

/** Maximum number of buckets that a page reads for their holes. Beyond them, only the number of members is checked. */
const maxBuckets = 2;

/**
 * Tries once to read a page of a list, newest first. No state is stored for the events of a removed record: `readState`
 * then returns undefined. Events never leave a list, so the rank of the newest event is the list's length.
 *
 * - The first page takes one round trip: state and page are read together.
 * - Any other page takes two: the state, then exactly the page's members.
 * - If the state does not show all holes that the page needs, up to three reads of buckets are added, one after the
 *   other. If the list has counts by bucket, the counts are read together with the first bucket.
 * - Counts and buckets are read eventually consistent, at half the price. If one of them does not fit the
 *   state, `isConsistent` is false, and the next try (`isRetry`) reads them strongly consistent.
 */
export async function readPage(
  table: TableClient,
  list: List,
  { page, limit }: PageQuery,
  readState: () => Promise<ListState | undefined>,
  isRetry: boolean,
): Promise<PageAttempt> {
  const offset = (page - 1) * limit;
  const query = (range: { from: number; to?: number }, count: number) =>
    queryMembers(table, list, range, count);
  const newest = offset === 0 ? query({ from: largestNumber }, limit) : undefined;
  const [stored, first] = await Promise.all([readState(), newest]);
  const state = stored ?? stateOfEvents(list, first ?? (await query({ from: largestNumber }, 1)));
  const wanted = await numbersOf(table, list, state, { offset, limit }, isRetry);
  const { numbers, length, isKnown } = wanted;
  const [from, to] = [numbers[0], numbers.at(-1)];
  const read =
    first ??
    (from === undefined
      ? []
      : await query({ from, ...(numbers.length === length && to !== undefined && { to }) }, length));
  const isConsistent =
    isKnown && read.length === length && numbers.every((number, at) => numberIn(list, read[at]) === number);
  // Drops members that joined after the state was read, and members of the next page that stand in for missing members.
  const onPage = new Set(numbers);
  const isAllKnown = isKnown && numbers.length === length;
  const items = isAllKnown ? read.filter((item) => onPage.has(numberIn(list, item))) : read;
  return { isConsistent, items, totalCount: lengthOf(state) };
}

/** The state of a list that no member leaves, from its newest member. */
const stateOfEvents = (list: List, [newest]: readonly Item[]): ListState => ({
  ...emptyList,
  last: newest ? numberIn(list, newest) : 0,
});

/** Queries at most `limit` members by number descending, from `from` down to `to`, if given. */
function queryMembers(
  table: TableClient,
  { index, partition, pkOfMembers: pkOfItems }: List,
  range: { from: number; to?: number },
  limit: number,
): Promise<Item[]> {
  if (index !== undefined)
    return table.newestFirst({ index, ...keyNamesOf(index), pk: partition }, range, { limit, pkOfItems });
  const key = { pkName: 'pk', pk: partition, skName: 'sk' };
  const { from, to } = range;
  return table.newestFirst(
    key,
    { from: sortable(from), ...(to !== undefined && { to: sortable(to) }) },
    { limit, pkOfItems },
  );
}

/** A member's rank, or its record number in the list of a whole collection. No schema, for speed. */
const numberIn = ({ index }: List, item: Item | undefined): number =>
  index === undefined ? numberAt(item) : Number(item?.[keyNamesOf(index).skName]);

/**
 * The numbers of a page. Reads counts and buckets as needed; `isKnown` is false if they do not fit the state.
 */
async function numbersOf(
  table: TableClient,
  { partition }: List,
  state: ListState,
  slice: { offset: number; limit: number },
  isRetry: boolean,
): Promise<{ numbers: number[]; length: number; isKnown: boolean }> {
  const buckets = new Map<number, ReadonlySet<number>>();
  const readBucket = (bucket: number) => readHoles(table, partition, bucket, { consistentRead: isRetry });
  let counts: ((bucket: number) => number) | undefined;
  for (;;) {
    const { known: numbers, length, needs } = pageNumbers(state, slice, { counts, buckets });
    if (needs === undefined || buckets.size === maxBuckets) return { numbers, length, isKnown: true };
    const countOf = counts ?? (() => state.left);
    if (needs === 'counts') {
      const likely = likelyBucket(state, slice.offset);
      const [read, offsets] = await Promise.all([
        readCounts(table, partition, state, isRetry),
        readBucket(likely),
      ]);
      if (!read) return { numbers, length, isKnown: false };
      counts = read;
      // A bucket that does not fit the counts is read again when it is needed.
      if (offsets.size === read(likely) && offsets.size > 0) buckets.set(likely, offsets);
    } else {
      const offsets = await readBucket(needs.bucket);
      if (offsets.size !== countOf(needs.bucket)) return { numbers, length, isKnown: false };
      buckets.set(needs.bucket, offsets);
    }
  }
}

/** The offsets of the holes of one bucket. */
async function readHoles(
  table: TableClient,
  partition: string,
  bucket: number,
  options: { consistentRead: boolean },
): Promise<ReadonlySet<number>> {
  const item = await table.get(holesKey(partition, bucket), options);
  return new Set(item ? unpack(holeBits, item).keys() : []);
}

/** Number of holes of each bucket; undefined if the stored counts do not fit the list's state. */
async function readCounts(
  table: TableClient,
  partition: string,
  { left }: ListState,
  isRetry: boolean,
): Promise<((bucket: number) => number) | undefined> {
  const item = await table.get(countsKey(partition), { consistentRead: isRetry });
  if (item?.['left'] !== left) return undefined;
  const counted = unpack(countBits, item);
  const beyondFirst = [...counted].reduce((sum, [bucket, count]) => (bucket === 0 ? sum : sum + count), 0);
  return (bucket) => (bucket === 0 ? left - beyondFirst : (counted.get(bucket) ?? 0));
}
