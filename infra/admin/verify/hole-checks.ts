import { countsKey, holesKey, holesPartition, stateKey } from '../../../shared/ledger/internal/keys.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  bucketSize,
  hasCounts,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits } from '../../../shared/ledger/internal/packed-numbers.ts';
import { keyName, unknownItem, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import {
  bucketsIn,
  holesOf,
  isBucket,
  isHoleIn,
  readState,
  unpacked,
  type StoredList,
  type HoleItems,
} from './hole-items.ts';
import { dropUnreadableHoles, rebuildHoles, type HoleCorrections } from './rebuild-holes.ts';
import type { Check, Snapshot } from './snapshots.ts';

/**
 * Finds hole items that are unknown or malformed. One item proves each. `ownTop` is given for a list whose
 * state is an item of its own: a rank that the list has given out.
 */
export function malformedHoleItems(
  list: StoredList,
  holeItems: HoleItems,
  ownTop: number | undefined,
): Finding[] {
  const { partition } = list;
  const { sk: counts } = countsKey(partition);
  const { sk: state } = stateKey(partition);
  return [...holeItems].flatMap(([sk, item]): Finding[] => {
    const key = { pk: holesPartition(partition), sk };
    const where = keyName(key);
    if (isBucket(sk) || sk === counts) {
      if (isBucket(sk) ? holesOf(item) : unpacked(countBits, item)) return [];
      const repair = isBucket(sk) ? dropUnreadable(list, Number(sk)) : recount(list);
      return [{ kind: 'hole-malformed', where, sentence: `${where} cannot be read.`, repair }];
    }
    if (sk !== state || ownTop === undefined) return [unknownItem(key)];
    if (readState(item['state'])) return [];
    const repair = restoreState(list, ownTop);
    return [{ kind: 'list-malformed', where, sentence: `${where} cannot be read: state.`, repair }];
  });
}

const recount = (list: StoredList, corrections: HoleCorrections = {}): Repair => ({
  sentence: `counts the holes of ${list.name} again`,
  addTo: (plan) => {
    if (list.canRebuildHoles?.(plan) ?? true) rebuildHoles(plan, list, corrections);
  },
});

const dropUnreadable = ({ partition, name }: StoredList, bucket: number): Repair => ({
  sentence: `removes the unreadable part, then rebuilds the holes of ${name} from its members`,
  addTo: (plan) => {
    dropUnreadableHoles(plan, partition, bucket);
  },
});

/** Rebuilds the item of the list's state. */
const restoreState = (list: StoredList, top: number): Repair => ({
  sentence: `rebuilds the state of ${list.name} from its members and holes`,
  addTo: (plan) => {
    const key = stateKey(list.partition);
    if (readState(plan.get(key)?.['state'])) return;
    plan.remove(key);
    rebuildHoles(plan, list, { last: top, isStateLost: true });
  },
});

/** Checks that fail on the queried items, and must be confirmed on a snapshot. */
export function suspectChecks(
  list: StoredList,
  holeItems: HoleItems,
  state: ListState | undefined,
): Check<Finding | undefined>[] {
  const { pk: partition } = countsKey(list.partition);
  const snapshot: Snapshot = {
    get: ({ pk, sk }) => (pk === partition ? holeItems.get(sk) : undefined),
  };
  const asRead = holeChecks({ ...list, stateIn: () => state }, holeItems);
  return holeChecks(list, holeItems).filter((_, at) => asRead[at]?.(snapshot) !== undefined);
}

/**
 * Checks of the hole items against the list state: each bucket has as many holes as its count says, all
 * buckets as many as the state says, and the newest ranks have holes where the state says.
 */
function holeChecks(list: StoredList, holeItems: HoleItems): Check<Finding | undefined>[] {
  const buckets = bucketsIn(holeItems);
  const counted = unpacked(countBits, holeItems.get(countsKey(list.partition).sk))?.keys() ?? [];
  return [
    checkCounts(list),
    ...new Set([0, ...buckets, ...counted]).values().map((bucket) => checkBucket(list, bucket)),
    ...(list.isCollection ? [] : buckets.map((bucket) => checkBeyond(list, bucket))),
    checkWindow(list),
  ];
}

/**
 * True if the list must have an item of counts by bucket. With one bucket, or without holes, the state says
 * enough.
 */
const needsCounts = (state: ListState) => hasCounts(state) && state.left > 0;

function checkCounts(list: StoredList): Check<Finding | undefined> {
  const { partition, name } = list;
  const key = countsKey(partition);
  const where = keyName(key);
  return (snapshot) => {
    const state = list.stateIn(snapshot);
    const counts = snapshot.get(key);
    if (!state || (needsCounts(state) ? counts?.['left'] === state.left : !counts)) return undefined;
    const is = counts ? (needsCounts(state) ? 'has another count' : 'should not be there') : 'is missing';
    const sentence = `${where} ${is}: by its state ${name} has ${state.left} holes among ${state.last} numbers.`;
    return { kind: 'hole-count', where, sentence, ...repairIn(list, snapshot) };
  };
}

/** Repair, if the hole items can be rebuilt. */
const repairIn = (
  list: StoredList,
  snapshot: Snapshot,
  corrections?: HoleCorrections,
): { repair?: Repair } =>
  (list.canRebuildHoles?.(snapshot) ?? true) ? { repair: recount(list, corrections) } : {};

function checkBucket(list: StoredList, bucket: number): Check<Finding | undefined> {
  const { partition, name } = list;
  const key = holesKey(partition, bucket);
  const where = keyName(key);
  return (snapshot) => {
    const state = list.stateIn(snapshot);
    const holes = holesOf(snapshot.get(key));
    const counts = snapshot.get(countsKey(partition));
    const expected = state && expectedHoles(state, bucket, counts);
    // A malformed bucket has a finding of its own.
    if (!holes || expected === undefined || holes.size === expected) return undefined;
    const sentence = `${where} has ${holes.size} holes of ${name}, but their count is ${expected}.`;
    return { kind: 'hole-count', where, sentence, ...repairIn(list, snapshot, { buckets: [bucket] }) };
  };
}

/**
 * Number of holes that the bucket must have; undefined if nothing tells. The count of the first bucket is the
 * list's number of holes less all other counts.
 */
export function expectedHoles(
  state: ListState,
  bucket: number,
  counts: Item | undefined,
): number | undefined {
  const { left } = state;
  // In a bucket after the last one, each hole has a finding of its own.
  if (!needsCounts(state)) return bucket === 0 || hasCounts(state) ? left : undefined;
  const counted = counts && unpacked(countBits, counts);
  if (!counted || bucket > 0) return counted && (counted.get(bucket) ?? 0);
  return [...counted].reduce((rest, [one, count]) => (one === 0 ? rest : rest - count), left);
}

function checkWindow(list: StoredList): Check<Finding | undefined> {
  const { partition, name, stateHolder } = list;
  return (snapshot) => {
    const state = list.stateIn(snapshot);
    if (!state) return undefined;
    const { last, newest } = state;
    let expected = 0n;
    for (let age = 0; age < windowSize && age < last; age++) {
      const isHole = isHoleIn(snapshot, partition, last - age);
      if (isHole === undefined) return undefined;
      if (isHole) expected |= 1n << BigInt(age);
    }
    if (expected === newest) return undefined;
    const sentence = `The holes among the newest ${windowSize} numbers of ${name} are ${newest.toString(16)} by ${stateHolder}, but ${expected.toString(16)} by the buckets (bits in hexadecimal).`;
    return { kind: 'hole-window', where: stateHolder, sentence, ...repairIn(list, snapshot) };
  };
}

/** Checks that a bucket has no holes beyond the last rank. */
function checkBeyond(list: StoredList, bucket: number): Check<Finding | undefined> {
  const { partition, name } = list;
  const key = holesKey(partition, bucket);
  const where = keyName(key);
  return (snapshot) => {
    const state = list.stateIn(snapshot);
    const top = Math.max(-1, ...(holesOf(snapshot.get(key)) ?? [])) + bucket * bucketSize + 1;
    if (!state || top <= Math.max(state.last, bucket * bucketSize)) return undefined;
    const sentence = `${where} has a hole at rank ${top} of ${name}, whose last rank is ${state.last}.`;
    return { kind: 'hole-beyond', where, sentence, ...repairIn(list, snapshot, { buckets: [bucket] }) };
  };
}
