import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  countsKey,
  holesKey,
  holesPartition,
  nameOfKey,
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
  withNext,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, increments, unpack } from '../../../shared/ledger/internal/packed-numbers.ts';
import type { Judgement } from './judgement.ts';
import type { Items, RepairPlan } from './organization-items.ts';

/** List with a stored state and hole items: a collection, or a list in an index. */
export interface StoredList {
  readonly partition: string;
  /** Name in sentences. */
  readonly name: string;
  /** Key of the item that has the list state. */
  holderKeyIn: (items: Items) => Key;
  /** Undefined if there is no readable state. */
  stateIn: (items: Items) => ListState | undefined;
  planState: (plan: RepairPlan, state: ListState) => void;
}

/** Holes of one list as its buckets say, and the keys of its hole items: buckets and counts. */
export interface StoredHoles {
  readonly ranks: ReadonlySet<number>;
  readonly keys: readonly Key[];
}

/** Last rank and holes that a list must have. A list without a state has buckets alone. */
export interface RightHoles {
  readonly last: number;
  readonly holes: ReadonlySet<number>;
  readonly hasState: boolean;
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

/** Plans a list state in the item that has it: the head, the owner or a former item, which may be made by it. */
export function planStateIn(plan: RepairPlan, key: Key, list: string, state: ListState): void {
  const item = plan.get(key) ?? {};
  plan.put(key, { ...item, lists: { ...readableStates(item), [list]: formatState(state) } });
}

/** Reads the holes of a list, as far as they are readable, and adds a finding for each unknown item beside them. */
export function readHoles(judgement: Judgement, partition: string, hasOwnState = false): StoredHoles {
  const pk = holesPartition(partition);
  const ranks = new Set<number>();
  const keys: Key[] = [];
  for (const item of judgement.items.partition(pk)) {
    const key = { pk, sk: String(item['sk']) };
    const isBucket = /^\d{12}$/.test(key.sk);
    if (isBucket || key.sk === countsKey(partition).sk) keys.push(key);
    else if (!hasOwnState || key.sk !== stateKey(partition).sk) judgement.addUnknown(key);
    for (const rank of isBucket ? ranksIn(key, item) : []) ranks.add(rank);
  }
  return { ranks, keys };
}

/** Differences between a list's stored state and hole items and what they must be, as parts of a sentence. */
export function differences(
  items: Items,
  list: StoredList,
  state: ListState | undefined,
  right: RightHoles,
  stored: StoredHoles,
): string[] {
  const wrong = wrongItems(items, list, right, stored).map(({ sk }) => sk);
  const isSame = !right.hasState || (state && formatState(state) === formatState(stateOf(right)));
  const says = state ? `its state says ${formatState(state)}` : 'its state is missing';
  return [
    ...(isSame ? [] : [`${says}, and should say ${formatState(stateOf(right))}`]),
    ...(wrong.length > 0 ? [`its hole items do not match: ${wrong.join(', ')}`] : []),
  ];
}

/** Plans a list's state and hole items as they must be. */
export function planHoles(plan: RepairPlan, list: StoredList, right: RightHoles, stored: StoredHoles): void {
  const state = list.stateIn(plan);
  if (right.hasState && (!state || formatState(state) !== formatState(stateOf(right))))
    list.planState(plan, stateOf(right));
  const items = itemsOf(list.partition, right);
  for (const key of wrongItems(plan, list, right, stored)) {
    const item = items.get(nameOfKey(key))?.item;
    if (item) plan.put(key, item);
    else plan.remove(key);
  }
}

/** Plans the next rank of a list, for a new member. */
export function planNext(plan: RepairPlan, list: StoredList): void {
  const state = list.stateIn(plan);
  // With the first rank of the second bucket a list begins to need counts by bucket.
  if (state && (state.left === 0 || state.last !== bucketSize)) list.planState(plan, withNext(state));
  else if (state) planChange(plan, list, { last: state.last + 1 });
}

/** Plans a hole at the rank that a member leaves. */
export function planHole(plan: RepairPlan, list: StoredList, rank: number): void {
  const state = list.stateIn(plan);
  if (state && rank <= state.last) planChange(plan, list, { last: state.last, hole: rank });
}

/** Changes what is planned of a list's holes. */
function planChange(
  plan: RepairPlan,
  list: StoredList,
  { last, hole }: { last: number; hole?: number },
): void {
  const count = bucketPositionOf(last).bucket + 1;
  const buckets = Array.from({ length: count }, (_, bucket) => holesKey(list.partition, bucket));
  const holes = new Set(buckets.flatMap((key) => ranksIn(key, plan.get(key) ?? {})));
  if (hole !== undefined) holes.add(hole);
  const stored = { ranks: holes, keys: [...buckets, countsKey(list.partition)] };
  planHoles(plan, list, { last, holes, hasState: true }, stored);
}

function stateOf({ last, holes }: RightHoles): ListState {
  let newest = 0n;
  for (const rank of holes) if (last - rank < windowSize) newest |= 1n << BigInt(last - rank);
  return { last, left: holes.size, newest };
}

/** Keys of the hole items that are not as they must be. */
function wrongItems(items: Items, list: StoredList, right: RightHoles, stored: StoredHoles): Key[] {
  const expected = itemsOf(list.partition, right);
  const keys = new Map(
    [...stored.keys, ...expected.values().map(({ key }) => key)].map((key) => [key.sk, key]),
  );
  return [...keys.values()].filter(
    (key) =>
      !isDeepStrictEqual(contentOf(key, items.get(key)), contentOf(key, expected.get(nameOfKey(key))?.item)),
  );
}

/** Hole items that a list must have, by key: buckets, and counts by bucket if it has more than one bucket. */
function itemsOf(
  partition: string,
  { last, holes, hasState }: RightHoles,
): Map<string, { key: Key; item: Item }> {
  const buckets = Map.groupBy(holes, (rank) => bucketPositionOf(rank).bucket);
  const items = [...buckets].map(([bucket, ranks]) => {
    const offsets = ranks.map((rank) => bucketPositionOf(rank).offset);
    return { key: holesKey(partition, bucket), item: Object.fromEntries(increments(holeBits, offsets)) };
  });
  const counts = Object.fromEntries(
    increments(
      countBits,
      [...holes].map((rank) => bucketPositionOf(rank).bucket),
    ),
  );
  if (hasState && hasCounts({ last, left: 0, newest: 0n }) && holes.size > 0)
    items.push({ key: countsKey(partition), item: { ...counts, left: holes.size } });
  return new Map(items.map((one) => [nameOfKey(one.key), one]));
}

/** Content of a hole item, to compare two. The count of the first bucket says nothing: it follows from the others. */
function contentOf({ pk, sk }: Key, item: Item | undefined): unknown {
  if (sk !== countsKey('').sk) return offsetsIn(item ?? {}) ?? pk;
  try {
    const counts = unpack(countBits, item ?? {});
    counts.delete(0);
    return item && { left: item['left'], counts };
  } catch {
    return pk;
  }
}

/** Ranks of the holes in a bucket, as far as they are readable. */
const ranksIn = ({ sk }: Key, item: Item): number[] =>
  Object.entries(item).flatMap((one) =>
    [...(offsetsIn(Object.fromEntries([one])) ?? [])].map((offset) => Number(sk) * bucketSize + offset + 1),
  );

/** Offsets of the holes in a bucket; undefined if the item is malformed. */
function offsetsIn(item: Item): ReadonlySet<number> | undefined {
  try {
    const offsets = new Set(unpack(holeBits, item).keys());
    return Math.max(0, ...offsets) < bucketSize ? offsets : undefined;
  } catch {
    return undefined;
  }
}
