import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { holesKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import {
  bucketSize,
  formatState,
  parseState,
  bucketPositionOf,
  statePattern,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { holeBits, unpack, type Packing } from '../../../shared/ledger/internal/packed-numbers.ts';
import type { RepairPlan } from './repair-plan.ts';
import type { Snapshot } from './snapshots.ts';

/** List with a stored state and hole items: a collection, or a list in an index. */
export interface StoredList {
  readonly partition: string;
  /** Name in sentences. */
  readonly name: string;
  /** True for a collection, whose numbers are checked one by one. */
  readonly isCollection: boolean;
  /** Name in sentences of the item that has the list state. */
  readonly stateHolder: string;
  /** Undefined if there is no readable state. */
  readonly stateIn: (snapshot: Snapshot) => ListState | undefined;
  readonly planState: (plan: RepairPlan, state: ListState) => void;
  /**
   * True if each number is either a record or certainly deleted, so that the hole items can be rebuilt. If
   * not given, they always can.
   */
  readonly canRebuildHoles?: (snapshot: Snapshot) => boolean;
}

/** Hole items of a list by sort key, as a query showed them. */
export type HoleItems = ReadonlyMap<string, Item>;

/** Undefined if the string is malformed. */
export function readState(text: unknown): ListState | undefined {
  return typeof text === 'string' && statePattern.test(text) ? parseState(text) : undefined;
}

/**
 * List states in an item (the head, a record or a former item) by list name; undefined if one is malformed.
 */
export function statesIn({ lists = {} }: Item): Record<string, string> | undefined {
  return v.is(v.record(v.string(), v.string()), lists) && Object.values(lists).every(readState)
    ? lists
    : undefined;
}

/** Well-formed list states in an item, by list name. */
export const readableStates = ({ lists }: Item): [list: string, state: string][] =>
  v.is(v.record(v.string(), v.unknown()), lists)
    ? Object.entries(lists).flatMap(([list, state]) =>
        typeof state === 'string' && readState(state) ? [[list, state]] : [],
      )
    : [];

/** Offsets of the holes in a bucket's item: empty without an item, undefined if the item is malformed. */
export function holesOf(item: Item | undefined): ReadonlySet<number> | undefined {
  if (item === undefined) return new Set();
  if (!unpackedHoles.has(item)) {
    const numbers = unpacked(holeBits, item);
    const isBucket = numbers?.keys().every((offset) => offset < bucketSize);
    unpackedHoles.set(item, isBucket ? new Set(numbers?.keys()) : undefined);
  }
  return unpackedHoles.get(item);
}

/** Cache by item, since many checks read the same bucket. */
const unpackedHoles = new WeakMap<Item, ReadonlySet<number> | undefined>();

/** Undefined if the number's bucket is malformed. */
export function isHoleIn(snapshot: Snapshot, partition: string, number: number): boolean | undefined {
  const { bucket, offset } = bucketPositionOf(number);
  return holesOf(snapshot.get(holesKey(partition, bucket)))?.has(offset);
}

export function holesIn(holeItems: HoleItems): Set<number> {
  const holes = new Set<number>();
  for (const bucket of bucketsIn(holeItems)) {
    for (const offset of holesOf(bucketOf(holeItems, bucket)) ?? [])
      holes.add(bucket * bucketSize + offset + 1);
  }
  return holes;
}

/** Buckets that have an item. */
export const bucketsIn = (holeItems: HoleItems): number[] =>
  [...holeItems.keys()].filter(isBucket).map(Number);

export const isBucket = (sk: string) => /^\d{12}$/.test(sk);
const bucketOf = (holeItems: HoleItems, bucket: number) => holeItems.get(holesKey('', bucket).sk);

/** Undefined if the item is malformed. */
export function unpacked(packing: Packing, item: Item | undefined): ReadonlyMap<number, number> | undefined {
  try {
    return unpack(packing, item ?? {});
  } catch {
    return undefined;
  }
}

/** Plans a list state in the item that has it: the head, the owner or a former item. */
export function planStateIn(plan: RepairPlan, key: Key, list: string, state: ListState): void {
  const item = plan.get(key);
  if (item) plan.put(key, { ...item, lists: { ...statesIn(item), [list]: formatState(state) } });
}
