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

/** A list whose notes are proved: a whole collection, or a list in an index. */
export interface StoredList {
  readonly partition: string;
  /** What it is called in a sentence. */
  readonly name: string;
  /** Of a whole collection, each number is judged by itself. */
  readonly isCollection: boolean;
  /** What keeps its state. */
  readonly stateHolder: string;
  /** Its state in a snapshot; undefined where there is none that can be read. */
  readonly stateIn: (snapshot: Snapshot) => ListState | undefined;
  /** Drafts another state. */
  readonly planState: (plan: RepairPlan, state: ListState) => void;
  /** Whether each number is a record, or was surely deleted, so that the notes can be made anew; if not given, they can. */
  readonly canRebuildHoles?: (snapshot: Snapshot) => boolean;
}

/** The items that note who left a list, by their sort keys, as a query showed them. */
export type HoleItems = ReadonlyMap<string, Item>;

/** The state that a text says; undefined where it cannot be read. */
export function readState(text: unknown): ListState | undefined {
  return typeof text === 'string' && statePattern.test(text) ? parseState(text) : undefined;
}

/** The states of lists that an item keeps, by their names: the head, or a record; undefined where they cannot be read. */
export function statesIn({ lists = {} }: Item): Record<string, string> | undefined {
  return v.is(v.record(v.string(), v.string()), lists) && Object.values(lists).every(readState)
    ? lists
    : undefined;
}

/** Those states that an item keeps which can be read, by their names. */
export const readableStates = ({ lists }: Item): [list: string, state: string][] =>
  v.is(v.record(v.string(), v.unknown()), lists)
    ? Object.entries(lists).flatMap(([list, state]) =>
        typeof state === 'string' && readState(state) ? [[list, state]] : [],
      )
    : [];

/** The offsets of the holes that a bucket's item holeItems: none where there is no item; undefined where it cannot be read. */
export function holesOf(item: Item | undefined): ReadonlySet<number> | undefined {
  if (item === undefined) return new Set();
  if (!unpackedHoles.has(item)) {
    const numbers = unpacked(holeBits, item);
    const isBucket = numbers?.keys().every((offset) => offset < bucketSize);
    unpackedHoles.set(item, isBucket ? new Set(numbers?.keys()) : undefined);
  }
  return unpackedHoles.get(item);
}

/** By item, since many checks ask for the numbers of one bucket. */
const unpackedHoles = new WeakMap<Item, ReadonlySet<number> | undefined>();

/** Whether a number is stored as a hole; undefined where its bucket cannot be read. */
export function isHoleIn(snapshot: Snapshot, partition: string, number: number): boolean | undefined {
  const { bucket, offset } = bucketPositionOf(number);
  return holesOf(snapshot.get(holesKey(partition, bucket)))?.has(offset);
}

/** The holes that were read of a list. */
export function holesIn(holeItems: HoleItems): Set<number> {
  const holes = new Set<number>();
  for (const bucket of bucketsIn(holeItems)) {
    for (const offset of holesOf(bucketOf(holeItems, bucket)) ?? [])
      holes.add(bucket * bucketSize + offset + 1);
  }
  return holes;
}

/** The buckets of which there are items. */
export const bucketsIn = (holeItems: HoleItems): number[] =>
  [...holeItems.keys()].filter(isBucket).map(Number);

export const isBucket = (sk: string) => /^\d{12}$/.test(sk);
const bucketOf = (holeItems: HoleItems, bucket: number) => holeItems.get(holesKey('', bucket).sk);

/** The numbers packed into an item; undefined where they cannot be read. */
export function unpacked(packing: Packing, item: Item | undefined): ReadonlyMap<number, number> | undefined {
  try {
    return unpack(packing, item ?? {});
  } catch {
    return undefined;
  }
}

/** Drafts the state of a list where that is kept: in the head, or in the record that owns it. */
export function planStateIn(plan: RepairPlan, key: Key, list: string, state: ListState): void {
  const item = plan.get(key);
  if (item) plan.put(key, { ...item, lists: { ...statesIn(item), [list]: formatState(state) } });
}
