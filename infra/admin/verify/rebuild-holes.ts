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

/** Corrections of what the hole items say. */
export interface HoleCorrections {
  /** Lower bound of the list's last rank. */
  last?: number;
  /** True if the state is lost. Then the last rank may be a hole. */
  isStateLost?: boolean;
  /** Ranks that become holes. */
  holes?: readonly number[];
  /** Ranks that become members. */
  members?: readonly number[];
  /** Further buckets to rebuild. */
  buckets?: readonly number[];
}

/**
 * Rebuilds the list state and the counts from the buckets and the corrections. A list without a state has
 * buckets alone. Plans nothing if a bucket is malformed.
 */
export function rebuildHoles(plan: RepairPlan, list: StoredList, corrections: HoleCorrections = {}): void {
  const state = list.stateIn(plan);
  const numbers = [...(corrections.holes ?? []), ...(corrections.members ?? [])];
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
  for (const number of corrections.holes ?? [])
    bucketOf(buckets, number).add(bucketPositionOf(number).offset);
  for (const number of corrections.members ?? [])
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

/** Adds a hole to its bucket alone: the state and the counts already include it. */
export function addHole(plan: RepairPlan, partition: string, number: number): void {
  const { bucket, offset } = bucketPositionOf(number);
  const holes = holesOf(plan.get(holesKey(partition, bucket)));
  if (holes) putBucket(plan, partition, bucket, new Set([...holes, offset]));
}

/** Removes a hole from its bucket alone: the state and the counts do not include it. */
export function removeHole(plan: RepairPlan, partition: string, number: number): void {
  const { bucket, offset } = bucketPositionOf(number);
  const holes = holesOf(plan.get(holesKey(partition, bucket)));
  if (holes) putBucket(plan, partition, bucket, new Set([...holes].filter((one) => one !== offset)));
}

/** Drops the malformed attributes of a bucket. Their holes are then found as missing numbers. */
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
  // The first bucket's own count is ignored: it is derived from the others.
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

/** Stores the item, or removes it if it has no numbers. */
function putOrRemove(plan: RepairPlan, key: ReturnType<typeof holesKey>, item: Item): void {
  if (Object.keys(item).some((name) => /^[0-9A-Z]+$/.test(name))) plan.put(key, item);
  else if (plan.get(key)) plan.remove(key);
}
