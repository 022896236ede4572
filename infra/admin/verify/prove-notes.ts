import { countsKey, holesKey, holesPartition, stateKey } from '../../../shared/ledger/internal/keys.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  bucketSize,
  hasCounts,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits } from '../../../shared/ledger/internal/packed-numbers.ts';
import { keyName, unknownItem, type Finding, type Mend } from './finding.ts';
import {
  bucketsIn,
  holesOf,
  isBucket,
  isHoleIn,
  readState,
  unpacked,
  type NotedList,
  type Notes,
} from './notes.ts';
import { dropUnreadable, rebuildNotes, type Known } from './rebuild-notes.ts';
import type { Judge, Look } from './snapshots.ts';

/**
 * What of the notes of a list is none, or cannot be read. One item shows each, so it is damage at once. A list whose state is
 * an item of its own has had ranks up to `ownTop` at least.
 */
export function unreadable(list: NotedList, notes: Notes, ownTop: number | undefined): Finding[] {
  const { partition } = list;
  const { sk: counts } = countsKey(partition);
  const { sk: state } = stateKey(partition);
  return [...notes].flatMap(([sk, item]): Finding[] => {
    const key = { pk: holesPartition(partition), sk };
    const where = keyName(key);
    if (isBucket(sk) || sk === counts) {
      if (isBucket(sk) ? holesOf(item) : unpacked(countBits, item)) return [];
      const mend = isBucket(sk) ? withoutUnreadable(list, Number(sk)) : countedAgain(list);
      return [{ kind: 'hole-malformed', where, sentence: `${where} cannot be read.`, mend }];
    }
    if (sk !== state || ownTop === undefined) return [unknownItem(key)];
    if (readState(item['state'])) return [];
    const mend = restated(list, ownTop);
    return [{ kind: 'list-malformed', where, sentence: `${where} cannot be read: state.`, mend }];
  });
}

/** Makes a list's notes anew. */
const countedAgain = (list: NotedList, known: Known = {}): Mend => ({
  sentence: `counts again who has left ${list.name}`,
  apply: (draft) => {
    if (list.isDerived?.(draft.look) ?? true) rebuildNotes(draft, list, known);
  },
});

const withoutUnreadable = ({ partition, name }: NotedList, bucket: number): Mend => ({
  sentence: `drops what of it cannot be read, then notes by the members who has left ${name}`,
  apply: (draft) => {
    dropUnreadable(draft, partition, bucket);
  },
});

/** Makes the item of a list's state anew. */
const restated = (list: NotedList, top: number): Mend => ({
  sentence: `makes the state of ${list.name} anew, from its members and who has left`,
  apply: (draft) => {
    const key = stateKey(list.partition);
    if (readState(draft.look(key)?.['state'])) return;
    draft.remove(key);
    rebuildNotes(draft, list, { last: top, isStateLost: true });
  },
});

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
    return { kind: 'hole-count', where, sentence, ...mendIn(list, look) };
  };
}

/** How the notes are put right, if they can be. */
const mendIn = (list: NotedList, look: Look, known?: Known): { mend?: Mend } =>
  (list.isDerived?.(look) ?? true) ? { mend: countedAgain(list, known) } : {};

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
    return { kind: 'hole-count', where, sentence, ...mendIn(list, look, { buckets: [bucket] }) };
  };
}

/** How many holes a bucket must have; undefined where nothing tells. The count of the first bucket is what others leave. */
export function countOf(state: ListState, bucket: number, counts: Item | undefined): number | undefined {
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
    return { kind: 'hole-window', where: keeper, sentence, ...mendIn(list, look) };
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
    return { kind: 'hole-beyond', where, sentence, ...mendIn(list, look, { buckets: [bucket] }) };
  };
}
