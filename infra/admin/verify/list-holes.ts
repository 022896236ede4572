import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  countsKey,
  holesKey,
  holesPartition,
  stateKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import {
  bucketPositionOf,
  bucketSize,
  formatState,
  hasCounts,
  parseState,
  statePattern,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import {
  countBits,
  holeBits,
  increments,
  unpack,
  type Packing,
} from '../../../shared/ledger/internal/packed-numbers.ts';
import { keyName, type Repair } from './finding.ts';
import type { Judgement } from './judgement.ts';
import type { Items, RepairPlan } from './organization-items.ts';

/** List with a stored state and hole items: a collection, or a list in an index. */
export interface StoredList {
  readonly partition: string;
  /** Name in sentences. */
  readonly name: string;
  /** True for a collection, whose numbers are judged one by one. */
  readonly isCollection: boolean;
  /** Name in sentences of the item that has the list state. */
  readonly stateHolder: string;
  /** Key of the item that has the list state. */
  readonly stateHolderKey: Key;
  /** Undefined if there is no readable state. */
  readonly stateIn: (items: Items) => ListState | undefined;
  readonly planState: (plan: RepairPlan, state: ListState) => void;
  /** False if the buckets may lack holes that only the counts and the state still tell of. */
  readonly canRecount: boolean;
}

/** Hole items of one list, as they are stored. */
export interface HoleItems {
  /** Offsets of the holes, by bucket. */
  readonly buckets: ReadonlyMap<number, ReadonlySet<number>>;
  /** Number of holes by bucket, with their sum; undefined if there is no such item, or a malformed one. */
  readonly counts: { left: unknown; byBucket: ReadonlyMap<number, number> } | undefined;
  readonly hasCountsItem: boolean;
  /** State item; undefined if there is none. */
  readonly state: Item | undefined;
  /** True if a bucket or the counts cannot be read. */
  readonly isMalformed: boolean;
}

/** Undefined if the string is malformed. */
export function readState(text: unknown): ListState | undefined {
  return typeof text === 'string' && statePattern.test(text) ? parseState(text) : undefined;
}

/** List states in an item (the head, a record or a former item), by list name; undefined if one is malformed. */
export function statesIn({ lists = {} }: Item): Record<string, string> | undefined {
  return v.is(v.record(v.string(), v.string()), lists) && Object.values(lists).every(readState)
    ? lists
    : undefined;
}

/** Well-formed list states in an item, by list name. */
export const readableStates = ({ lists }: Item): Record<string, string> =>
  v.is(v.record(v.string(), v.unknown()), lists)
    ? Object.fromEntries(
        Object.entries(lists).flatMap(([list, state]) =>
          typeof state === 'string' && readState(state) ? [[list, state]] : [],
        ),
      )
    : {};

/** Plans a list state in the item that has it: the head, the owner or a former item. */
export function planStateIn(plan: RepairPlan, key: Key, list: string, state: ListState): void {
  const item = plan.get(key);
  if (item) plan.put(key, { ...item, lists: { ...statesIn(item), [list]: formatState(state) } });
}

/** Ranks of the holes. */
export function* ranksIn({ buckets }: Pick<HoleItems, 'buckets'>): Generator<number> {
  for (const [bucket, offsets] of buckets)
    for (const offset of offsets) yield bucket * bucketSize + offset + 1;
}

/** True if the rank is a hole by its bucket. */
export function isHoleIn(items: Items, partition: string, rank: number): boolean {
  const { bucket, offset } = bucketPositionOf(rank);
  return holesOf(items.get(holesKey(partition, bucket)))?.has(offset) ?? false;
}

/**
 * Reads the hole items of a list, and adds findings about unknown and malformed ones. `ownTop` is given for a list
 * whose state is an item of its own: the greatest rank of a member.
 */
export function readHoleItems(judgement: Judgement, list: StoredList, ownTop?: number): HoleItems {
  const { partition, name } = list;
  const pk = holesPartition(partition);
  const buckets = new Map<number, ReadonlySet<number>>();
  let counts: HoleItems['counts'];
  let state: Item | undefined;
  let [hasCountsItem, isMalformed] = [false, false];
  const malformed = (sk: string, repair: Repair) => {
    isMalformed = true;
    const where = keyName({ pk, sk });
    judgement.add('hole-malformed', where, `${where} cannot be read.`, { keys: [{ pk, sk }], repair });
  };
  for (const item of judgement.items.partition(pk)) {
    const sk = String(item['sk']);
    if (/^\d{12}$/.test(sk)) {
      const holes = holesOf(item);
      if (holes) buckets.set(Number(sk), holes);
      else {
        const sentence = `removes the unreadable part, then rebuilds the holes of ${name} from its members`;
        malformed(sk, {
          sentence,
          addTo: (plan) => {
            dropUnreadableHoles(plan, { pk, sk });
          },
        });
      }
    } else if (sk === countsKey(partition).sk) {
      hasCountsItem = true;
      const byBucket = unpacked(countBits, item);
      if (byBucket) counts = { left: item['left'], byBucket };
      else malformed(sk, recount(list));
    } else if (sk === stateKey(partition).sk && ownTop !== undefined) {
      state = item;
      if (!readState(item['state'])) addMalformedState(judgement, list, ownTop);
    } else judgement.addUnknown({ pk, sk });
  }
  return { buckets, counts, hasCountsItem, state, isMalformed };
}

function addMalformedState(judgement: Judgement, list: StoredList, top: number): void {
  const key = stateKey(list.partition);
  const where = keyName(key);
  const sentence = `rebuilds the state of ${list.name} from its members and holes`;
  const addTo = (plan: RepairPlan) => {
    plan.remove(key);
    rebuildHoles(plan, list, { last: top, isStateLost: true });
  };
  judgement.add('list-malformed', where, `${where} cannot be read: state.`, {
    keys: [key],
    repair: { sentence, addTo },
  });
}

/**
 * Compares the hole items with the list state: each bucket has as many holes as its count says, all buckets as many as
 * the state says, none lies beyond the last rank, and the newest ranks have holes where the state says.
 */
export function judgeHoleItems(
  judgement: Judgement,
  list: StoredList,
  state: ListState,
  holes: HoleItems,
): void {
  const { partition, name, stateHolder } = list;
  const add = (
    kind: 'hole-count' | 'hole-beyond' | 'hole-window',
    [where, ...keys]: [string, ...Key[]],
    sentence: string,
    buckets: readonly number[] = [],
  ) => {
    const repair = list.canRecount ? recount(list, buckets) : undefined;
    judgement.add(kind, where, sentence, {
      keys: [...keys, countsKey(partition), list.stateHolderKey],
      repair,
    });
  };
  const { counts, hasCountsItem } = holes;
  const needsCounts = hasCounts(state) && state.left > 0;
  if (needsCounts ? !hasCountsItem || (counts && counts.left !== state.left) : hasCountsItem) {
    const is = !hasCountsItem ? 'is missing' : needsCounts ? 'has another count' : 'should not be there';
    const where = keyName(countsKey(partition));
    const why = `by its state ${name} has ${state.left} holes among ${state.last} numbers`;
    add('hole-count', [where], `${where} ${is}: ${why}.`);
  }
  for (const bucket of new Set([0, ...holes.buckets.keys(), ...(counts?.byBucket.keys() ?? [])])) {
    const expected = expectedHoles(state, bucket, counts);
    const size = holes.buckets.get(bucket)?.size ?? 0;
    const key = holesKey(partition, bucket);
    const where = keyName(key);
    // A malformed bucket has a finding of its own.
    if (expected === undefined || size === expected || holes.isMalformed) continue;
    add(
      'hole-count',
      [where, key],
      `${where} has ${size} holes of ${name}, but their count is ${expected}.`,
      [bucket],
    );
  }
  for (const [bucket, offsets] of list.isCollection ? [] : holes.buckets) {
    const top = Math.max(-1, ...offsets) + bucket * bucketSize + 1;
    if (top <= Math.max(state.last, bucket * bucketSize)) continue;
    const key = holesKey(partition, bucket);
    const where = keyName(key);
    const sentence = `${where} has a hole at rank ${top} of ${name}, whose last rank is ${state.last}.`;
    add('hole-beyond', [where, key], sentence, [bucket]);
  }
  const expected = newestHoles(holes.buckets, state.last);
  if (expected === state.newest || holes.isMalformed) return;
  const keys = [...holes.buckets.keys()].map((bucket) => holesKey(partition, bucket));
  const sentence = `The holes among the newest ${windowSize} numbers of ${name} are ${state.newest.toString(16)} by ${stateHolder}, but ${expected.toString(16)} by the buckets (bits in hexadecimal).`;
  add('hole-window', [stateHolder, ...keys], sentence);
}

/**
 * Number of holes that a bucket must have; undefined if nothing tells. The count of the first bucket is the list's
 * number of holes less all other counts.
 */
function expectedHoles(state: ListState, bucket: number, counts: HoleItems['counts']): number | undefined {
  const { left } = state;
  // In a bucket after the last one, each hole has a finding of its own.
  if (!hasCounts(state) || left === 0) return bucket === 0 || hasCounts(state) ? left : undefined;
  if (!counts || bucket > 0) return counts && (counts.byBucket.get(bucket) ?? 0);
  return [...counts.byBucket].reduce((rest, [one, count]) => (one === 0 ? rest : rest - count), left);
}

function newestHoles(buckets: HoleItems['buckets'], last: number): bigint {
  let newest = 0n;
  for (const rank of ranksIn({ buckets }))
    if (rank <= last && last - rank < windowSize) newest |= 1n << BigInt(last - rank);
  return newest;
}

const recount = (list: StoredList, buckets: readonly number[] = []): Repair => ({
  sentence: `counts the holes of ${list.name} again`,
  addTo: (plan) => {
    rebuildHoles(plan, list, { buckets });
  },
});

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
 * Rebuilds the list state and the counts from the buckets and the corrections. A list without a state has buckets alone.
 * Plans nothing if a bucket is malformed.
 */
export function rebuildHoles(plan: RepairPlan, list: StoredList, corrections: HoleCorrections): void {
  const { holes = [], members = [], isStateLost = false } = corrections;
  const state = list.stateIn(plan);
  const end = Math.max(1, state?.last ?? 0, corrections.last ?? 0, ...holes, ...members);
  const wanted = state
    ? Array.from({ length: bucketPositionOf(end).bucket + 1 }, (_, bucket) => bucket)
    : [...holes, ...members].map((rank) => bucketPositionOf(rank).bucket);
  const buckets = new Map<number, Set<number>>();
  for (const bucket of [...wanted, ...(corrections.buckets ?? [])]) {
    const stored = holesOf(plan.get(holesKey(list.partition, bucket)));
    if (!stored) return;
    buckets.set(bucket, new Set(stored));
  }
  for (const rank of holes) buckets.get(bucketPositionOf(rank).bucket)?.add(bucketPositionOf(rank).offset);
  for (const rank of members)
    buckets.get(bucketPositionOf(rank).bucket)?.delete(bucketPositionOf(rank).offset);
  if (state) {
    const last = Math.max(
      state.last,
      corrections.last ?? 0,
      isStateLost ? Math.max(0, ...ranksIn({ buckets })) : 0,
    );
    for (const rank of ranksIn({ buckets }))
      if (rank > last) buckets.get(bucketPositionOf(rank).bucket)?.delete(bucketPositionOf(rank).offset);
    const left = buckets.values().reduce((sum, { size }) => sum + size, 0);
    const after = { last, left, newest: newestHoles(buckets, last) };
    if (formatState(state) !== formatState(after)) list.planState(plan, after);
    putCounts(plan, countsKey(list.partition), after, buckets);
  }
  for (const [bucket, offsets] of buckets) {
    const key = holesKey(list.partition, bucket);
    if (!isDeepStrictEqual(holesOf(plan.get(key)), offsets))
      putOrRemove(plan, key, Object.fromEntries(increments(holeBits, [...offsets])));
  }
}

function putCounts(
  plan: RepairPlan,
  key: Key,
  state: ListState,
  buckets: ReadonlyMap<number, ReadonlySet<number>>,
): void {
  if (state.left === 0 || !hasCounts(state)) {
    if (plan.get(key)) plan.remove(key);
    return;
  }
  const holes = [...buckets].flatMap(([bucket, { size }]) => Array.from({ length: size }, () => bucket));
  const counts = { left: state.left, ...Object.fromEntries(increments(countBits, holes)) };
  // The first bucket's own count is ignored: it is derived from the others.
  if (!isDeepStrictEqual(beyondFirst(plan.get(key)), beyondFirst(counts))) plan.put(key, counts);
}

function beyondFirst(counts: Item | undefined): unknown {
  const numbers = counts && unpacked(countBits, counts);
  if (!numbers) return undefined;
  return [counts['left'], [...numbers].filter(([at]) => at > 0).sort(([one], [other]) => one - other)];
}

/** Drops the malformed attributes of a bucket. Their holes are then found as missing numbers. */
function dropUnreadableHoles(plan: RepairPlan, key: Key): void {
  const readable = Object.entries(plan.get(key) ?? {}).filter(([name, value]) => holesOf({ [name]: value }));
  putOrRemove(plan, key, Object.fromEntries(readable));
}

/** Stores the item, or removes it if it has no numbers. */
function putOrRemove(plan: RepairPlan, key: Key, item: Item): void {
  if (Object.keys(item).some((name) => /^[0-9A-Z]+$/.test(name))) plan.put(key, item);
  else if (plan.get(key)) plan.remove(key);
}

/** Offsets of the holes in a bucket's item: empty without an item, undefined if the item is malformed. */
function holesOf(item: Item | undefined): ReadonlySet<number> | undefined {
  const numbers = unpacked(holeBits, item);
  return numbers?.keys().every((offset) => offset < bucketSize) ? new Set(numbers.keys()) : undefined;
}

/** Undefined if the item is malformed. */
function unpacked(packing: Packing, item: Item | undefined): ReadonlyMap<number, number> | undefined {
  try {
    return unpack(packing, item ?? {});
  } catch {
    return undefined;
  }
}
