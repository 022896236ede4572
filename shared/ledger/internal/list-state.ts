/**
 * The state of one list. Its numbers (ranks) are given out from 1 without gaps. A member that leaves makes a hole. The
 * hole is stored in its bucket (a range of `bucketSize` numbers). The state has the newest holes, too.
 */
export interface ListState {
  /** Last number given out. */
  readonly last: number;
  /** Number of members that have left. */
  readonly left: number;
  /**
   * Holes among the newest `windowSize` numbers: bit 0 is `last`, bit 1 the number before it. So a first page
   * needs no bucket.
   */
  readonly newest: bigint;
}

/** Numbers per bucket. Stored data depends on it. */
export const bucketSize = 4096;

/** Numbers that `newest` covers: more than a page has. Stored data depends on it. */
export const windowSize = 128;

const wholeWindow = (1n << BigInt(windowSize)) - 1n;

export const emptyList: ListState = { last: 0, left: 0, newest: 0n };

/** Pattern of the strings that `formatState` returns. */
export const statePattern = /^[\dA-Z]{1,8}(-[\dA-Z]{1,8}(~[\w-]{2,22})?)?$/;

/**
 * Formats a state as a short string, because every write stores the head with many states. The string is `<last>`, then
 * `-<left>` if members have left, both in base 36. The end is `~<newest>` in base64url if some of the newest numbers
 * are holes.
 */
export function formatState({ last, left, newest }: ListState): string {
  const given = last.toString(36).toUpperCase();
  if (left === 0) return given;
  const hex = newest.toString(16);
  const window = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
  return `${given}-${left.toString(36).toUpperCase()}${newest === 0n ? '' : `~${window}`}`;
}

/** Parses a state. Undefined is the empty list. */
export function parseState(text: string | undefined): ListState {
  if (text === undefined) return emptyList;
  const [numbers = '', window] = text.split('~');
  const [last, left = 0] = numbers.split('-').map((digits) => Number.parseInt(digits, 36));
  const newest = window === undefined ? 0n : BigInt(`0x${Buffer.from(window, 'base64url').toString('hex')}`);
  return { last: last ?? 0, left, newest };
}

/** Bucket of a number, and the number's offset in the bucket. */
export function bucketPositionOf(number: number): { bucket: number; offset: number } {
  return { bucket: Math.floor((number - 1) / bucketSize), offset: (number - 1) % bucketSize };
}

/** Length of the list. The length is exact, because the transaction that changes the members also changes the state. */
export const lengthOf = ({ last, left }: ListState): number => last - left;

/** The state after a member joined. */
export function withNext({ last, left, newest }: ListState): ListState {
  return { last: last + 1, left, newest: (newest << 1n) & wholeWindow };
}

/** The state after the member with this number left. */
export function withLeft({ last, left, newest }: ListState, number: number): ListState {
  const age = last - number;
  return { last, left: left + 1, newest: age < windowSize ? newest | (1n << BigInt(age)) : newest };
}

/** True if the list has counts by bucket. A list of one bucket needs only `left`. */
export const hasCounts = ({ last }: ListState): boolean => last > bucketSize;

/** Holes of a list that have been read so far. */
export interface HolesRead {
  /** Number of holes of each bucket. */
  counts?: ((bucket: number) => number) | undefined;
  /** Offsets of the holes, by bucket. */
  readonly buckets: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Holes to read next: the counts of the buckets, or one bucket. */
type Needs = 'counts' | { bucket: number };

/** Numbers of a page that are known so far. */
export interface PageNumbers {
  /** Newest first. */
  known: number[];
  /** Number of members on the page. */
  length: number;
  /** Number of members that are newer than the page. */
  offset: number;
  /** Undefined if all numbers are known. */
  needs?: Needs;
}

/**
 * The members of a page: after the `offset` newest or oldest members, or next to a number that need not be a member's.
 */
export type Slice =
  | { offset: number; limit: number; isFromOldest?: boolean }
  | { below: number; limit: number }
  | { above: number; limit: number };

/**
 * The numbers of a page's members. Stops early if the state and the holes read so far do not tell whether a number is a
 * hole. Then `needs` names the holes to read.
 */
export function pageNumbers(state: ListState, slice: Slice, holes: HolesRead): PageNumbers {
  const total = lengthOf(state);
  const atMost = (members: number) => Math.max(0, Math.min(slice.limit, members));
  if ('offset' in slice) {
    const length = atMost(total - slice.offset);
    const offset = slice.isFromOldest ? total - slice.offset - length : slice.offset;
    return numbersAfter(state, { offset, length }, holes);
  }
  const newer = membersFrom(state, 'below' in slice ? slice.below : slice.above + 1, holes);
  if (typeof newer !== 'number') return { known: [], length: 0, offset: 0, needs: newer };
  const length = atMost('below' in slice ? total - newer : newer);
  return numbersAfter(state, { offset: 'below' in slice ? newer : newer - length, length }, holes);
}

/** Number of members with this number or a larger number. */
function membersFrom(state: ListState, from: number, holes: HolesRead): number | Needs {
  const { last } = state;
  if (from > last) return 0;
  const newest = newestHoles(state);
  const lowest = bucketPositionOf(Math.max(1, from)).bucket;
  let members = 0;
  for (let { bucket } = bucketPositionOf(last); bucket >= lowest; bucket--) {
    const { bottom, top } = numbersIn(state, bucket);
    const count = holesIn(state, bucket, newest, holes);
    if (from <= bottom) {
      if (count === undefined) return 'counts';
      members += top - bottom + 1 - count;
      continue;
    }
    const isHole = holeTest(state, bucket, count, holes);
    for (let number = top; number >= from; number--) {
      const hole = isHole(number);
      if (hole === undefined) return count === undefined ? 'counts' : { bucket };
      if (!hole) members++;
    }
  }
  return members;
}

/** Smallest and largest number of a bucket that were given out. */
function numbersIn({ last }: ListState, bucket: number): { bottom: number; top: number } {
  const bottom = bucket * bucketSize + 1;
  return { bottom, top: Math.min(last, bottom + bucketSize - 1) };
}

/** The numbers of `length` members after the `offset` newest members. */
function numbersAfter(
  state: ListState,
  { offset, length }: { offset: number; length: number },
  holes: HolesRead,
): PageNumbers {
  const newest = newestHoles(state);
  const known: number[] = [];
  let toSkip = offset;
  for (
    let { bucket } = bucketPositionOf(Math.max(1, state.last));
    bucket >= 0 && known.length < length;
    bucket--
  ) {
    const { bottom, top } = numbersIn(state, bucket);
    const count = holesIn(state, bucket, newest, holes);
    const live = count === undefined ? Infinity : top - bottom + 1 - count;
    if (live <= toSkip) {
      toSkip -= live;
      continue;
    }
    const isHole = holeTest(state, bucket, count, holes);
    for (let number = top; number >= bottom && known.length < length; number--) {
      const hole = isHole(number);
      if (hole === undefined)
        return { known, length, offset, needs: count === undefined ? 'counts' : { bucket } };
      if (hole) continue;
      if (toSkip > 0) toSkip--;
      else known.push(number);
    }
  }
  return { known, length, offset };
}

/**
 * The bucket that a page begins in: the bucket of its position, or a guess that holds if holes are spread evenly. Reading
 * it together with the counts saves a round trip.
 */
export function likelyBucket(state: ListState, slice: Slice): number {
  const { last } = state;
  const share = last / Math.max(1, lengthOf(state));
  const number =
    'below' in slice
      ? Math.min(slice.below, last)
      : 'above' in slice
        ? slice.above + 1
        : slice.isFromOldest
          ? Math.floor((slice.offset + slice.limit) * share)
          : last - Math.floor(slice.offset * share);
  return bucketPositionOf(Math.max(1, Math.min(last, number))).bucket;
}

/** Number of holes of a bucket; undefined if it is unknown. */
function holesIn(
  state: ListState,
  bucket: number,
  newest: readonly number[],
  { counts }: HolesRead,
): number | undefined {
  const { left } = state;
  if (left === 0) return 0;
  if (!hasCounts(state)) return left;
  if (counts) return counts(bucket);
  // If all holes are in the window, the window has their number.
  if (newest.length < left) return undefined;
  return newest.filter((number) => bucketPositionOf(number).bucket === bucket).length;
}

/** Holes in the window, newest first. */
function newestHoles({ last, newest }: ListState): number[] {
  const numbers: number[] = [];
  for (let number = last, window = newest; window > 0n; number--, window >>= 1n) {
    if ((window & 1n) === 1n) numbers.push(number);
  }
  return numbers;
}

/**
 * Returns a function that tells whether a number of a bucket with `count` holes is a hole; undefined if it is
 * unknown.
 */
function holeTest(
  { last, newest }: ListState,
  bucket: number,
  count: number | undefined,
  { buckets }: HolesRead,
): (number: number) => boolean | undefined {
  if (count === 0) return () => false;
  const offsets = buckets.get(bucket);
  if (offsets) return (number) => offsets.has(bucketPositionOf(number).offset);
  const oldestInWindow = last - windowSize + 1;
  let seen = 0;
  return (number) => {
    // The caller goes from the top down, so there are no more holes below the last hole.
    if (seen === count) return false;
    if (number < oldestInWindow) return undefined;
    const hole = ((newest >> BigInt(last - number)) & 1n) === 1n;
    if (hole) seen++;
    return hole;
  };
}
