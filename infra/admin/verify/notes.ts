import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { countsKey, holesKey, notesPartition, stateKey } from '../../../shared/ledger/internal/keys.ts';
import {
  bucketSize,
  hasCounts,
  parseState,
  positionOf,
  statePattern,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, unpack, type Packing } from '../../../shared/ledger/internal/packed-numbers.ts';
import { keyName, unknownItem, type Finding } from './finding.ts';
import type { Judge, Look } from './snapshots.ts';

/** A list whose notes are proved: a whole collection, or a list in an index. */
export interface NotedList {
  readonly partition: string;
  /** What it is called in a sentence. */
  readonly name: string;
  /** Of a whole collection, each number is judged by itself. */
  readonly isCollection: boolean;
  /** What keeps its state. */
  readonly keeper: string;
  /** Its state in a snapshot; undefined where there is none that can be read. */
  readonly stateIn: (look: Look) => ListState | undefined;
}

/** The items that note who left a list, by their sort keys, as a query showed them. */
export type Notes = ReadonlyMap<string, Item>;

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

/** The offsets of the holes that a bucket's item notes: none where there is no item; undefined where it cannot be read. */
export function holesOf(item: Item | undefined): ReadonlySet<number> | undefined {
  if (item === undefined) return new Set();
  if (!unpackedHoles.has(item)) {
    const numbers = unpacked(holeBits, item);
    const isBucket = numbers?.keys().every((offset) => offset < bucketSize);
    unpackedHoles.set(item, isBucket ? new Set(numbers?.keys()) : undefined);
  }
  return unpackedHoles.get(item);
}

/** By item, since many judges ask for the numbers of one bucket. */
const unpackedHoles = new WeakMap<Item, ReadonlySet<number> | undefined>();

/** Whether a number is noted as a hole; undefined where its bucket cannot be read. */
export function isHoleIn(look: Look, partition: string, number: number): boolean | undefined {
  const { bucket, offset } = positionOf(number);
  return holesOf(look(holesKey(partition, bucket)))?.has(offset);
}

/** The holes that were read of a list. */
export function holesIn(notes: Notes): Set<number> {
  const holes = new Set<number>();
  for (const bucket of bucketsIn(notes)) {
    for (const offset of holesOf(bucketOf(notes, bucket)) ?? []) holes.add(bucket * bucketSize + offset + 1);
  }
  return holes;
}

/** What of the notes of a list is none, or cannot be read. One item shows each, so it is damage at once. */
export function unreadable(partition: string, notes: Notes, mayHaveState: boolean): Finding[] {
  const { sk: counts } = countsKey(partition);
  const { sk: state } = stateKey(partition);
  return [...notes].flatMap(([sk, item]): Finding[] => {
    const key = { pk: notesPartition(partition), sk };
    const where = keyName(key);
    if (isBucket(sk) || sk === counts) {
      if (isBucket(sk) ? holesOf(item) : unpacked(countBits, item)) return [];
      return [{ kind: 'hole-malformed', where, sentence: `${where} cannot be read.` }];
    }
    if (sk !== state || !mayHaveState) return [unknownItem(key)];
    if (readState(item['state'])) return [];
    return [{ kind: 'list-malformed', where, sentence: `${where} cannot be read: state.` }];
  });
}

/** Those judges of the notes of a list that find something in what was read of it, its state too. */
export function suspicious(
  list: NotedList,
  notes: Notes,
  state: ListState | undefined,
): Judge<Finding | undefined>[] {
  const { pk: partition } = countsKey(list.partition);
  const look: Look = ({ pk, sk }) => (pk === partition ? notes.get(sk) : undefined);
  const asRead = judgesOf({ ...list, stateIn: () => state }, notes);
  return judgesOf(list, notes).filter((_, at) => asRead[at]?.(look) !== undefined);
}

/**
 * What proves that the notes of a list fit its state: as many holes in each bucket as its count says, as many in all as have
 * left, and the newest ones those of the state's window.
 */
function judgesOf(list: NotedList, notes: Notes): Judge<Finding | undefined>[] {
  const buckets = bucketsIn(notes);
  const counted = unpacked(countBits, notes.get(countsKey(list.partition).sk))?.keys() ?? [];
  return [
    judgeCounts(list),
    ...new Set([0, ...buckets, ...counted]).values().map((bucket) => judgeBucket(list, bucket)),
    ...(list.isCollection ? [] : buckets.map((bucket) => judgeBeyond(list, bucket))),
    judgeWindow(list),
  ];
}

/** Whether there must be counts by bucket: of one bucket, and where nobody has left, the state says enough. */
const areCounted = (state: ListState) => hasCounts(state) && state.left > 0;

function judgeCounts(list: NotedList): Judge<Finding | undefined> {
  const { partition, name } = list;
  const key = countsKey(partition);
  const where = keyName(key);
  return (look) => {
    const state = list.stateIn(look);
    const counts = look(key);
    if (!state || (areCounted(state) ? counts?.['left'] === state.left : !counts)) return undefined;
    const is = counts ? (areCounted(state) ? 'is of another time' : 'is there') : 'is missing';
    const sentence = `${where} ${is}, and by its state ${state.left} of ${state.last} have left ${name}.`;
    return { kind: 'hole-count', where, sentence };
  };
}

function judgeBucket(list: NotedList, bucket: number): Judge<Finding | undefined> {
  const { partition, name } = list;
  const key = holesKey(partition, bucket);
  const where = keyName(key);
  return (look) => {
    const state = list.stateIn(look);
    const holes = holesOf(look(key));
    const counts = look(countsKey(partition));
    const expected = state && countOf(state, bucket, counts);
    // What cannot be read is a finding of its own.
    if (!holes || expected === undefined || holes.size === expected) return undefined;
    const sentence = `${where} notes ${holes.size} that have left ${name}, and by the count it is ${expected}.`;
    return { kind: 'hole-count', where, sentence };
  };
}

/** How many holes a bucket must have; undefined where nothing tells. The count of the first bucket is what others leave. */
function countOf(state: ListState, bucket: number, counts: Item | undefined): number | undefined {
  const { left } = state;
  // In a bucket after the last one, each hole is a finding of its own.
  if (!areCounted(state)) return bucket === 0 || hasCounts(state) ? left : undefined;
  const counted = counts && unpacked(countBits, counts);
  if (!counted || bucket > 0) return counted && (counted.get(bucket) ?? 0);
  return [...counted].reduce((rest, [one, count]) => (one === 0 ? rest : rest - count), left);
}

function judgeWindow(list: NotedList): Judge<Finding | undefined> {
  const { partition, name, keeper } = list;
  return (look) => {
    const state = list.stateIn(look);
    if (!state) return undefined;
    const { last, newest } = state;
    let expected = 0n;
    for (let age = 0; age < windowSize && age < last; age++) {
      const isHole = isHoleIn(look, partition, last - age);
      if (isHole === undefined) return undefined;
      if (isHole) expected |= 1n << BigInt(age);
    }
    if (expected === newest) return undefined;
    const sentence = `${keeper} says ${newest.toString(16)} of which of the newest ${windowSize} numbers of ${name} have left, and the buckets say ${expected.toString(16)}.`;
    return { kind: 'hole-window', where: keeper, sentence };
  };
}

/** Proves that a bucket of a list in an index has no holes after the last rank. */
function judgeBeyond(list: NotedList, bucket: number): Judge<Finding | undefined> {
  const { partition, name } = list;
  const key = holesKey(partition, bucket);
  const where = keyName(key);
  return (look) => {
    const state = list.stateIn(look);
    const top = Math.max(-1, ...(holesOf(look(key)) ?? [])) + bucket * bucketSize + 1;
    if (!state || top <= Math.max(state.last, bucket * bucketSize)) return undefined;
    const sentence = `${where} notes that rank ${top} has left ${name}, which has given out ranks up to ${state.last} only.`;
    return { kind: 'hole-beyond', where, sentence };
  };
}

/** The buckets of which there are items. */
const bucketsIn = (notes: Notes): number[] => [...notes.keys()].filter(isBucket).map(Number);

const isBucket = (sk: string) => /^\d{12}$/.test(sk);
const bucketOf = (notes: Notes, bucket: number) => notes.get(holesKey('', bucket).sk);

function unpacked(packing: Packing, item: Item | undefined): ReadonlyMap<number, number> | undefined {
  try {
    return unpack(packing, item ?? {});
  } catch {
    return undefined;
  }
}
