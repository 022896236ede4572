/**
 * Ranks and numbers of one collection. Numbers are given out densely from 1; a delete leaves a hole, which is noted
 * in its bucket (a range of `bucketSize` numbers), so that the number at any rank is found with at most one read.
 */
export interface Numbering {
  /** The last number given out. */
  last: number;
  /** How many numbers of each bucket are deleted; buckets after the last one with a hole are left out. */
  deleted: number[];
  /** What a later version of the code keeps here is carried along. */
  [more: string]: unknown;
}

/**
 * Numbers per bucket. A full bucket's set of offsets stays under 13 KB, one with a third deleted under 4 KB (one read
 * unit). The head grows by one small number per bucket up to the last that has holes: under 1 KB per million records.
 */
export const bucketSize = 4096;

export const emptyNumbering: Numbering = { last: 0, deleted: [] };

/** The bucket of a number, and the number's offset in it. */
export function placeInBucket(number: number): { bucket: number; offset: number } {
  return { bucket: Math.floor((number - 1) / bucketSize), offset: (number - 1) % bucketSize };
}

/** How many records are there: exact, since it changes in the same transaction as the records. */
export function liveCount({ last, deleted }: Numbering): number {
  return last - deleted.reduce((sum, count) => sum + count, 0);
}

/** The numbering after one more number was given out. */
export function withNext(numbering: Numbering): Numbering {
  return { ...numbering, last: numbering.last + 1 };
}

/** The numbering after a record of this number was deleted. */
export function withDeleted(numbering: Numbering, number: number): Numbering {
  const { deleted } = numbering;
  const { bucket } = placeInBucket(number);
  const counts = Array.from({ length: Math.max(deleted.length, bucket + 1) }, (_, at) => deleted[at] ?? 0);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
  return { ...numbering, deleted: counts };
}

/**
 * Where the live record is that has `rank` newer live records before it (rank 0 is the newest): its bucket and its
 * rank among the live records of that bucket. Undefined past the end.
 */
export function bucketAtRank(
  { last, deleted }: Numbering,
  rank: number,
): { bucket: number; rank: number } | undefined {
  let rest = rank;
  for (let bucket = placeInBucket(last).bucket; bucket >= 0; bucket--) {
    const live = Math.min(bucketSize, last - bucket * bucketSize) - (deleted[bucket] ?? 0);
    if (rest < live) return { bucket, rank: rest };
    rest -= live;
  }
  return undefined;
}

/** The number at a rank among the live records of a bucket, newest first, given the offsets deleted from it. */
export function numberInBucket(
  { last }: Numbering,
  { bucket, rank }: { bucket: number; rank: number },
  deletedOffsets: ReadonlySet<number>,
): number {
  const top = Math.min(bucketSize, last - bucket * bucketSize) - 1;
  let offset = top;
  for (let toSkip = rank; offset >= 0; offset--) {
    if (!deletedOffsets.has(offset) && toSkip-- === 0) break;
  }
  return bucket * bucketSize + offset + 1;
}
