/**
 * The numbers of one list. They are given out densely from 1; a member that leaves makes a hole, which is noted in its
 * bucket (a range of `bucketSize` numbers), and among the newest numbers here too.
 */
export interface Numbering {
  /** The last number given out. */
  last: number;
  /** How many numbers of each bucket are holes; buckets after the last one with a hole are left out. */
  deleted: number[];
  /**
   * Which of the newest `windowSize` numbers are holes, in hexadecimal: bit 0 is that of `last`, bit 1 of the number
   * before it. Not there when none is. With it a first page needs no bucket to know its numbers.
   */
  newest?: string;
  /** What a later version of the code keeps here is carried along. */
  [more: string]: unknown;
}

/**
 * Numbers per bucket. A full bucket's set of offsets stays under 13 KB, one with a third deleted under 4 KB (one read
 * unit). The head grows by one small number per bucket up to the last that has holes: under 1 KB per million records.
 * Stored data depends on it.
 */
export const bucketSize = 4096;

/** How many of the newest numbers the head knows the holes of: more than a page has. Stored data depends on it. */
export const windowSize = 128;

const wholeWindow = (1n << BigInt(windowSize)) - 1n;

export const emptyNumbering: Numbering = { last: 0, deleted: [] };

/** The bucket of a number, and the number's offset in it. */
export function positionOf(number: number): { bucket: number; offset: number } {
  return { bucket: Math.floor((number - 1) / bucketSize), offset: (number - 1) % bucketSize };
}

/** How many members are there: exact, since it changes in the same transaction as they do. */
export function liveCount({ last, deleted }: Numbering): number {
  return last - deleted.reduce((sum, count) => sum + count, 0);
}

/** The numbering after one more number was given out. */
export function withNext(numbering: Numbering): Numbering {
  return withWindow({ ...numbering, last: numbering.last + 1 }, windowOf(numbering) << 1n);
}

/** The numbering after the member of this number left. */
export function withDeleted(numbering: Numbering, number: number): Numbering {
  const { deleted } = numbering;
  const { bucket } = positionOf(number);
  const counts = Array.from({ length: Math.max(deleted.length, bucket + 1) }, (_, at) => deleted[at] ?? 0);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
  const age = numbering.last - number;
  const window = age < windowSize ? windowOf(numbering) | (1n << BigInt(age)) : windowOf(numbering);
  return withWindow({ ...numbering, deleted: counts }, window);
}

const windowOf = ({ newest = '0' }: Numbering) => BigInt(`0x${newest}`);

function withWindow({ newest, ...numbering }: Numbering, window: bigint): Numbering {
  const inWindow = window & wholeWindow;
  return inWindow === 0n ? numbering : { ...numbering, newest: inWindow.toString(16) };
}

/** The holes of buckets, as far as they have been read: the offsets of each. */
export type KnownHoles = ReadonlyMap<number, ReadonlySet<number>>;

/** What is known of the numbers of a page. */
export interface PageNumbers {
  /** The newest ones, newest first. */
  known: number[];
  /** How many the page has. */
  length: number;
  /** The bucket whose holes must be known to go on; none when all numbers are known. */
  unknownBucket?: number;
}

/**
 * The numbers of the members that stand at the ranks from `rank` (0 is the newest), `limit` of them or as many as there
 * are, as far as the head, its window and the holes read so far tell.
 */
export function pageNumbers(
  numbering: Numbering,
  { rank, limit }: { rank: number; limit: number },
  holes: KnownHoles,
): PageNumbers {
  const { last, deleted } = numbering;
  const length = Math.max(0, Math.min(limit, liveCount(numbering) - rank));
  const known: number[] = [];
  let toSkip = rank;
  for (let bucket = positionOf(Math.max(1, last)).bucket; bucket >= 0 && known.length < length; bucket--) {
    const bottom = bucket * bucketSize + 1;
    const top = Math.min(last, bottom + bucketSize - 1);
    const live = top - bottom + 1 - (deleted[bucket] ?? 0);
    if (live <= toSkip) {
      toSkip -= live;
      continue;
    }
    const isHole = holesWithin(numbering, bucket, holes);
    for (let number = top; number >= bottom && known.length < length; number--) {
      const hole = isHole(number);
      if (hole === undefined) return { known, length, unknownBucket: bucket };
      if (hole) continue;
      if (toSkip > 0) toSkip--;
      else known.push(number);
    }
  }
  return { known, length };
}

/** Whether a number of this bucket is a hole; undefined where that is not known. */
function holesWithin(
  numbering: Numbering,
  bucket: number,
  holes: KnownHoles,
): (number: number) => boolean | undefined {
  const count = numbering.deleted[bucket] ?? 0;
  if (count === 0) return () => false;
  const offsets = holes.get(bucket);
  if (offsets) return (number) => offsets.has(positionOf(number).offset);
  const window = windowOf(numbering);
  const oldestInWindow = numbering.last - windowSize + 1;
  let seen = 0;
  return (number) => {
    // Asked from the top down: once all holes of the bucket were seen, there are no more below.
    if (seen === count) return false;
    if (number < oldestInWindow) return undefined;
    const hole = ((window >> BigInt(numbering.last - number)) & 1n) === 1n;
    if (hole) seen++;
    return hole;
  };
}
