import type { Page, PageQuery } from '../../core/page.ts';
import { largestNumber } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { formatCursor, positionAfter, positionOfQuery, type Position } from './cursor.ts';
import { countsKey, holesKey, keyNamesOf, sortable } from './keys.ts';
import { emptyList, lengthOf, likelyBucket, pageNumbers, type ListState, type Slice } from './list-state.ts';
import type { List } from './lists.ts';
import { countBits, holeBits, unpack } from './packed-numbers.ts';
import { numberAt } from './stored-record.ts';
import type { TableClient } from './table-client.ts';

/** The result of one try to read a page. */
export interface PageAttempt extends Page<Item> {
  /** True if the items agree with the list's state. */
  isConsistent: boolean;
  /** Makes the cursor of the page itself: a walk that goes on here reads all its records again. */
  ownCursor: () => string;
}

/** Maximum number of buckets that a page reads for their holes. Beyond them, only the number of members is checked. */
const maxBuckets = 2;

/**
 * Tries once to read a page of a list, or a step of a walk. No state is stored for the events of a removed record:
 * `readState` then returns undefined, and the page is empty.
 *
 * - A page at a known number takes one round trip: the first page, and each step of a walk. State and page are read
 *   together.
 * - Any other page takes two: the state, then exactly the page's members.
 * - If the state does not show all holes that the page needs, up to three reads of buckets are added, one after the
 *   other. If the list has counts by bucket, the counts are read together with the first bucket.
 * - Counts and buckets are read eventually consistent, at half the price. If one of them does not fit the
 *   state, `isConsistent` is false, and the next try (`isRetry`) reads them strongly consistent.
 *
 * @throws Failure `invalid` as `positionOfQuery`
 */
export async function readPage(
  table: TableClient,
  list: List,
  query: PageQuery,
  readState: () => Promise<ListState | undefined>,
  isRetry: boolean,
): Promise<PageAttempt> {
  const { page = 1, limit, order = 'newest' } = query;
  const position = positionOfQuery(list, query);
  const isUp = position ? 'above' in position : order === 'oldest';
  const start = position ?? (page === 1 ? startOf(isUp) : undefined);
  const [state = emptyList, first] = await Promise.all([
    readState(),
    start && readFrom(table, list, start, limit),
  ]);
  const slice = start ?? { offset: (page - 1) * limit, isFromOldest: isUp };
  const found = await numbersOf(table, list, state, { ...slice, limit }, isRetry);
  const { numbers, length, offset, isKnown } = found;
  const read =
    first?.filter((item) => numberIn(list, item) <= state.last) ?? (await readMembers(table, list, found));
  const isConsistent =
    isKnown && read.length === length && numbers.every((number, at) => numberIn(list, read[at]) === number);
  // Drops members of the next page that stand in for missing members.
  const onPage = new Set(numbers);
  const isAllKnown = isKnown && numbers.length === length;
  const newestFirst = isAllKnown ? read.filter((item) => onPage.has(numberIn(list, item))) : read;
  const items = isUp ? newestFirst.toReversed() : newestFirst;
  const totalCount = lengthOf(state);
  const older = totalCount - offset - length;
  const own = position ?? positionOf(isUp, state, found);
  const next = positionAfter(own, {
    read: items.length === 0 ? undefined : numberIn(list, items.at(-1)),
    isLast: (isUp ? offset : older) <= 0,
    last: state.last,
  });
  return {
    isConsistent,
    items,
    totalCount,
    offset: own.order === 'oldest' ? older : offset,
    nextAfter: next && formatCursor(list, next),
    ownCursor: () => formatCursor(list, own),
  };
}

/** A number that the members of a part are next to. */
type Start = { below: number } | { above: number };

const startOf = (isUp: boolean): Start => (isUp ? { above: 0 } : { below: largestNumber });

/** Position of a page. If its numbers are not all known, a walk from there begins with earlier members. */
function positionOf(isUp: boolean, { last }: ListState, { numbers, length }: FoundNumbers): Position {
  if (!isUp) return { order: 'newest', below: (numbers[0] ?? last) + 1, turnsTo: last };
  return { order: 'oldest', above: numbers.length === length ? (numbers.at(-1) ?? 1) - 1 : 0 };
}

/** Queries at most `limit` members next to a number. Newest first, also for a walk up. */
async function readFrom(table: TableClient, list: List, start: Start, limit: number): Promise<Item[]> {
  if ('below' in start) return queryMembers(table, list, { from: start.below - 1 }, limit);
  const range = { from: inKey(list, start.above + 1), to: inKey(list, largestNumber) };
  const found = await table.between(partitionOf(list), range, { limit, pkOfItems: list.pkOfMembers });
  return found.reverse();
}

/** Queries exactly the members of a page. */
async function readMembers(
  table: TableClient,
  list: List,
  { numbers, length }: Pick<FoundNumbers, 'numbers' | 'length'>,
): Promise<Item[]> {
  const [from, to] = [numbers[0], numbers.at(-1)];
  if (from === undefined) return [];
  return queryMembers(table, list, numbers.length === length ? { from, to } : { from }, length);
}

/** Queries at most `limit` members by number descending, from `from` down to `to`, if given. */
const queryMembers = (
  table: TableClient,
  list: List,
  { from, to }: { from: number; to?: number | undefined },
  limit: number,
): Promise<Item[]> =>
  table.newestFirst(
    partitionOf(list),
    { from: inKey(list, from), ...(to !== undefined && { to: inKey(list, to) }) },
    { limit, pkOfItems: list.pkOfMembers },
  );

const partitionOf = ({ index, partition: pk }: List) =>
  index === undefined ? { pkName: 'pk', pk, skName: 'sk' } : { index, ...keyNamesOf(index), pk };

/** A number as the sort key of a list: an index has numbers, and the table has texts. */
const inKey = ({ index }: List, number: number): string | number =>
  index === undefined ? sortable(number) : number;

/** A member's rank, or its record number in the list of a whole collection. No schema, for speed. */
const numberIn = ({ index }: List, item: Item | undefined): number =>
  index === undefined ? numberAt(item) : Number(item?.[keyNamesOf(index).skName]);

interface FoundNumbers {
  /** Newest first. */
  numbers: number[];
  /** Number of members on the page. */
  length: number;
  /** Number of members that are newer than the page. */
  offset: number;
  /** False if the holes do not fit the state. */
  isKnown: boolean;
}

/** The numbers of a page. Reads counts and buckets as needed. */
async function numbersOf(
  table: TableClient,
  { partition }: List,
  state: ListState,
  slice: Slice,
  isRetry: boolean,
): Promise<FoundNumbers> {
  const buckets = new Map<number, ReadonlySet<number>>();
  const readBucket = (bucket: number) => readHoles(table, partition, bucket, { consistentRead: isRetry });
  let counts: ((bucket: number) => number) | undefined;
  for (;;) {
    const { known: numbers, length, offset, needs } = pageNumbers(state, slice, { counts, buckets });
    const found = { numbers, length, offset };
    if (needs === undefined || buckets.size === maxBuckets) return { ...found, isKnown: true };
    const countOf = counts ?? (() => state.left);
    if (needs === 'counts') {
      const likely = likelyBucket(state, slice);
      const [read, offsets] = await Promise.all([
        readCounts(table, partition, state, isRetry),
        readBucket(likely),
      ]);
      if (!read) return { ...found, isKnown: false };
      counts = read;
      // A bucket that does not fit the counts is read again when it is needed.
      if (offsets.size === read(likely) && offsets.size > 0) buckets.set(likely, offsets);
    } else {
      const offsets = await readBucket(needs.bucket);
      if (offsets.size !== countOf(needs.bucket)) return { ...found, isKnown: false };
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
