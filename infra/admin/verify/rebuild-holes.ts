import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { countsKey, holesKey } from '../../../shared/ledger/internal/keys.ts';
import {
  bucketSize,
  formatState,
  hasCounts,
  bucketPositionOf,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, increments, unpack } from '../../../shared/ledger/internal/packed-numbers.ts';
import type { RepairPlan } from './repair-plan.ts';
import { holesOf, type StoredList } from './hole-items.ts';

/** What is corrections to be otherwise than a list's notes say. */
export interface HoleCorrections {
  /** A rank that was given out: the last one is this, or after it. */
  last?: number;
  /** Whether the state is lost, so that the last rank may be one that is stored as left. */
  isStateLost?: boolean;
  /** ObservedRanks that nobody has any more. */
  left?: readonly number[];
  /** ObservedRanks that somebody has. */
  held?: readonly number[];
  /** Buckets that there are, though there may be no such ranks. */
  buckets?: readonly number[];
}

/**
 * Drafts the state of a list and its counts anew, from what its buckets say and from what is corrections to be otherwise. Of a
 * list whose owner is gone there are buckets alone. Nothing, where a bucket cannot be read.
 */
export function rebuildHoles(plan: RepairPlan, list: StoredList, corrections: HoleCorrections = {}): void {
  const state = list.stateIn(plan);
  const numbers = [...(corrections.left ?? []), ...(corrections.held ?? [])];
  const end = Math.max(1, state?.last ?? 0, corrections.last ?? 0, ...numbers);
  const buckets = new Map<number, Set<number>>();
  const wanted = state
    ? Array.from({ length: bucketPositionOf(end).bucket + 1 }, (_, bucket) => bucket)
    : numbers.map((number) => bucketPositionOf(number).bucket);
  for (const bucket of [...wanted, ...(corrections.buckets ?? [])]) {
    const holes = holesOf(plan.get(holesKey(list.partition, bucket)));
    if (!holes) return;
    buckets.set(bucket, new Set(holes));
  }
  for (const number of corrections.left ?? []) bucketOf(buckets, number).add(bucketPositionOf(number).offset);
  for (const number of corrections.held ?? [])
    bucketOf(buckets, number).delete(bucketPositionOf(number).offset);
  if (state) {
    const top = corrections.isStateLost ? lastHole(buckets) : 0;
    const last = Math.max(state.last, corrections.last ?? 0, top);
    for (const [bucket, holes] of buckets)
      for (const offset of holes) if (bucket * bucketSize + offset + 1 > last) holes.delete(offset);
    putState(plan, list, state, { last, ...countHoles(buckets, last) });
    putCounts(plan, list, last, buckets);
  }
  for (const [bucket, holes] of buckets) putBucket(plan, list.partition, bucket, holes);
}

/** Drafts that a number is stored as left in its bucket, and nothing else: its list's state and counts know it. */
export function addHole(plan: RepairPlan, partition: string, number: number): void {
  const { bucket, offset } = bucketPositionOf(number);
  const holes = holesOf(plan.get(holesKey(partition, bucket)));
  if (holes) putBucket(plan, partition, bucket, new Set([...holes, offset]));
}

/** Drafts that a number is not stored as left in its bucket, and nothing else: its list's state and counts know that it did not. */
export function removeHole(plan: RepairPlan, partition: string, number: number): void {
  const { bucket, offset } = bucketPositionOf(number);
  const holes = holesOf(plan.get(holesKey(partition, bucket)));
  if (holes) putBucket(plan, partition, bucket, new Set([...holes].filter((one) => one !== offset)));
}

/** Drops what cannot be read of a bucket. The holes that it stored are then found as numbers that nobody has. */
export function dropUnreadableHoles(plan: RepairPlan, partition: string, bucket: number): void {
  const key = holesKey(partition, bucket);
  const item = plan.get(key);
  if (!item || holesOf(item)) return;
  const readable = Object.entries(item).filter(([name, value]) => holesOf({ [name]: value }));
  putOrRemove(plan, key, Object.fromEntries(readable));
}

const bucketOf = (buckets: ReadonlyMap<number, Set<number>>, number: number): Set<number> =>
  buckets.get(bucketPositionOf(number).bucket) ?? new Set();

function lastHole(buckets: ReadonlyMap<number, ReadonlySet<number>>): number {
  let top = 0;
  for (const [bucket, holes] of buckets)
    for (const offset of holes) top = Math.max(top, bucket * bucketSize + offset + 1);
  return top;
}

function countHoles(
  buckets: ReadonlyMap<number, ReadonlySet<number>>,
  last: number,
): Pick<ListState, 'left' | 'newest'> {
  let left = 0;
  let newest = 0n;
  for (const [bucket, holes] of buckets) {
    left += holes.size;
    for (const offset of holes) {
      const age = last - (bucket * bucketSize + offset + 1);
      if (age < windowSize) newest |= 1n << BigInt(age);
    }
  }
  return { left, newest };
}

function putState(plan: RepairPlan, list: StoredList, before: ListState, after: ListState): void {
  if (formatState(before) !== formatState(after)) list.planState(plan, after);
}

function putCounts(
  plan: RepairPlan,
  list: StoredList,
  last: number,
  buckets: ReadonlyMap<number, ReadonlySet<number>>,
): void {
  const key = countsKey(list.partition);
  const { left } = countHoles(buckets, last);
  if (left === 0 || !hasCounts({ last, left, newest: 0n })) {
    if (plan.get(key)) plan.remove(key);
    return;
  }
  const places = [...buckets].flatMap(([bucket, { size }]) => Array.from({ length: size }, () => bucket));
  const counts = { left, ...Object.fromEntries(increments(countBits, places)) };
  // Of the first bucket there is what has left since there are two: what the others leave is its count.
  if (!isDeepStrictEqual(beyondFirst(plan.get(key)), beyondFirst(counts))) plan.put(key, counts);
}

function beyondFirst(counts: Item | undefined): unknown {
  if (!counts) return undefined;
  try {
    const numbers = unpack(countBits, counts);
    numbers.delete(0);
    return [counts['left'], [...numbers].sort(([one], [other]) => one - other)];
  } catch {
    return undefined;
  }
}

function putBucket(plan: RepairPlan, partition: string, bucket: number, holes: ReadonlySet<number>): void {
  const key = holesKey(partition, bucket);
  if (isDeepStrictEqual(holesOf(plan.get(key)), holes)) return;
  putOrRemove(plan, key, Object.fromEntries(increments(holeBits, [...holes])));
}

/** An item that notes nothing is not there. */
function putOrRemove(plan: RepairPlan, key: ReturnType<typeof holesKey>, item: Item): void {
  if (Object.keys(item).some((name) => /^[0-9A-Z]+$/.test(name))) plan.put(key, item);
  else if (plan.get(key)) plan.remove(key);
}
