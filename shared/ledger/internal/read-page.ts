import type { Page, PageQuery } from '../../core/page.ts';
import { largestNumber } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { countsKey, holesKey, keyNamesOf, sortable } from './keys.ts';
import { emptyList, lengthOf, likelyBucket, pageNumbers, withLeft, type ListState } from './list-state.ts';
import type { List } from './lists.ts';
import { countBits, holeBits, unpack } from './packed-numbers.ts';
import { numberAt } from './stored-record.ts';
import type { TableClient } from './table-client.ts';

/** The result of one try: whether it agrees with the list's state, and the items, newest first. */
export interface PageAttempt extends Page<Item> {
  isConsistent: boolean;
}

/** How many buckets of holes are read per page. Beyond them, only the number of members is checked. */
const maxBuckets = 2;

/**
 * Tries once to read a page of a list, newest first. `readState` returns undefined if the list's owner is
 * gone: then the state is derived from the newest member.
 *
 * - First page: state and page together, one round trip.
 * - Any other: the state, then exactly the page's members. If members have left, the counts by bucket and one
 *   bucket are read in between, together.
 * - Counts and buckets are read eventually consistent, at half the price. If one does not fit the state,
 *   `isConsistent` is false.
 */
export async function readPage(
  table: TableClient,
  list: List,
  { page, limit }: PageQuery,
  readState: () => Promise<ListState | undefined>,
  isRetry: boolean,
): Promise<PageAttempt> {
  const rank = (page - 1) * limit;
  const query = (range: { from: number; to?: number }, count: number) =>
    queryMembers(table, list, range, count);
  const newest = rank === 0 ? query({ from: largestNumber }, limit) : undefined;
  const [known, first] = await Promise.all([readState(), newest]);
  const state =
    known ??
    (await stateOfOwnerless(table, list, first ?? (await query({ from: largestNumber }, 1)), isRetry));
  const wanted = await numbersOf(table, list, state, { rank, limit }, isRetry);
  const { numbers, length, isKnown } = wanted;
  const [from, to] = [numbers[0], numbers.at(-1)];
  const read =
    first ??
    (from === undefined
      ? []
      : await query({ from, ...(numbers.length === length && to !== undefined && { to }) }, length));
  const isConsistent =
    isKnown && read.length === length && numbers.every((number, at) => numberIn(list, read[at]) === number);
  // Drops members that joined after the state was read, or that filled the place of a missing one.
  const onPage = new Set(numbers);
  const isAllKnown = isKnown && numbers.length === length;
  const items = isAllKnown ? read.filter((item) => onPage.has(numberIn(list, item))) : read;
  return { isConsistent, items, totalCount: lengthOf(state) };
}

/**
 * The state of a list whose owner, which held it, is gone: derived from the last member. On a retry, also
 * from the holes of the first bucket; a longer list may then seem too long.
 */
async function stateOfOwnerless(
  table: TableClient,
  list: List,
  [newest]: readonly Item[],
  isRetry: boolean,
): Promise<ListState> {
  const top = newest ? numberIn(list, newest) : 0;
  const offsets = isRetry ? await readHoles(table, list.partition, 0, { consistentRead: true }) : [];
  const holes = [...offsets].map((offset) => offset + 1);
  const full: ListState = { ...emptyList, last: Math.max(top, ...holes) };
  return holes.reduce((state, hole) => withLeft(state, hole), full);
}

/** At most `limit` members by number descending, from `from` down, or down to `to`. */
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

/**
 * A member's rank; in the list of a whole collection, its record number. Not parsed by a schema, for speed.
 */
const numberIn = ({ index }: List, item: Item | undefined): number =>
  index === undefined ? numberAt(item) : Number(item?.[keyNamesOf(index).skName]);

/** The numbers of a page, reading notes as needed; `isKnown` is false if those do not fit the state. */
async function numbersOf(
  table: TableClient,
  { partition }: List,
  state: ListState,
  ranks: { rank: number; limit: number },
  isRetry: boolean,
): Promise<{ numbers: number[]; length: number; isKnown: boolean }> {
  const buckets = new Map<number, ReadonlySet<number>>();
  const readBucket = (bucket: number) => readHoles(table, partition, bucket, { consistentRead: isRetry });
  let counts: ((bucket: number) => number) | undefined;
  for (;;) {
    const { known: numbers, length, needs } = pageNumbers(state, ranks, { counts, buckets });
    if (needs === undefined || buckets.size === maxBuckets) return { numbers, length, isKnown: true };
    const countOf = counts ?? (() => state.left);
    if (needs === 'counts') {
      const likely = likelyBucket(state, ranks.rank);
      const [read, offsets] = await Promise.all([
        readCounts(table, partition, state, isRetry),
        readBucket(likely),
      ]);
      if (!read) return { numbers, length, isKnown: false };
      counts = read;
      // If it does not fit, it is read again when needed.
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

/** How many holes each bucket of a list has; undefined where what is noted does not fit the list's state. */
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
