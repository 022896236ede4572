import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, listPartition, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, withLeft, withNext } from '../../../shared/ledger/internal/list-state.ts';
import { judgedAgain, keyName, type Finding, type Mend } from './finding.ts';
import { isDerivedFrom, settleDeleted, type FoundNumber } from './mend-numbers.ts';
import { holesIn, isHoleIn, keepIn, type NotedList, type Notes } from './notes.ts';
import { suspicious, unreadable } from './prove-notes.ts';
import { rebuildNotes } from './rebuild-notes.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/** Takes note of what is noted of the numbers of a collection. */
export function observeNotes(scene: Scene, state: CollectionState, notes: Notes): void {
  scene.findings.push(...unreadable(notedList(scene, state), notes, undefined));
  for (const number of holesIn(notes)) mark(state, number, marks.hole);
  state.notes = notes;
}

export function mark({ marks: all }: CollectionState, number: number, what: number): void {
  all.set(number, all.get(number) | what);
}

/**
 * Proves that each number up to the last is either a record or a noted hole, and that there is nothing beyond. `observe`
 * gets the records that the queries did not show.
 */
export async function settleNumbers(
  scene: Scene,
  state: CollectionState,
  observe: (number: number, item: Item) => void,
): Promise<void> {
  const { last } = stateIn(scene.head, state.name);
  const found: FoundNumber[] = [];
  await scene.inPortions(doubtful(state, last), `the numbers of ${state.name}`, async (numbers) => {
    const judges = numbers.map((number) => judgeNumber(scene, state, number));
    const results = await scene.settle(judges);
    for (const [at, judge] of judges.entries()) {
      const [number, result] = [numbers[at], results[at]];
      if (number === undefined || result === undefined) continue;
      const finding = result.finding && judgedAgain(result.finding, (look) => judge(look).finding);
      if (finding) scene.findings.push(finding);
      if (result.item) observe(number, result.item);
      if (result.isHole) mark(state, number, marks.hole);
      if (result.item && result.isHole) state.both.push(number);
      if (!result.item && !result.isHole) {
        mark(state, number, marks.lost);
        state.lost.push(number);
      }
      if (finding && !finding.mend) found.push({ number, finding });
    }
  });
  state.settledTo = last;
  if (state.name !== events.name) await settleDeleted(scene, notedList(scene, state), state, found);
}

/** The numbers that the queries did not show as they should be. */
function* doubtful(state: CollectionState, last: number): Generator<number> {
  for (let number = 1; number <= last; number++) {
    const is = state.marks.get(number);
    if (is !== marks.record && is !== marks.hole) yield number;
  }
  for (const [number] of state.marks) if (number > last) yield number;
}

function judgeNumber(
  scene: Scene,
  state: CollectionState,
  number: number,
): Judge<{ finding?: Finding; item?: Item | undefined; isHole: boolean }> {
  const { organization } = scene;
  const { name } = state;
  return (look) => {
    const head = scene.headIn(look);
    const item = look(recordKey(organization, name, number));
    const isHole = isHoleIn(look, listPartition(organization, { collection: name }), number) ?? false;
    if (!head) return { isHole };
    const { last } = stateIn(head, name);
    const finding = findingOf(scene, state, number, { last, isRecord: item !== undefined, isHole });
    return { item, isHole, ...(finding && { finding }) };
  };
}

function findingOf(
  scene: Scene,
  state: CollectionState,
  number: number,
  { last, isRecord, isHole }: { last: number; isRecord: boolean; isHole: boolean },
): Finding | undefined {
  const { name } = state;
  const where = scene.nameOf(name, number);
  const isEvent = name === events.name;
  if (number > last) {
    const mend = isEvent ? advanced(scene, state, last) : givenOut(scene, state, number, last);
    if (isRecord)
      return {
        kind: isEvent ? 'event-beyond' : 'record-beyond',
        where,
        sentence: `${where} is there, but the head has given out numbers of ${name} up to ${last} only.`,
        ...(mend && { mend }),
      };
    const sentence = `${where} is noted as deleted, but the head has given out numbers of ${name} up to ${last} only.`;
    const counted: Mend = {
      sentence: `takes back that ${where} was deleted`,
      apply: (draft) => {
        const list = notedList(scene, state);
        const buckets = [bucketPositionOf(number).bucket];
        if (list.isDerived?.(draft.look)) rebuildNotes(draft, list, { buckets });
      },
    };
    return isHole ? { kind: 'hole-beyond', where, sentence, mend: mend ?? counted } : undefined;
  }
  if (isRecord && isHole)
    return { kind: 'record-and-hole', where, sentence: `${where} is there, and is noted as deleted too.` };
  if (isRecord || isHole) return undefined;
  return isEvent
    ? { kind: 'event-missing', where, sentence: `${where} is missing.` }
    : { kind: 'record-missing', where, sentence: `${where} is missing, and is not noted as deleted.` };
}

/** Lets the head have given out a number, where there is nothing missing before it. */
function givenOut(scene: Scene, state: CollectionState, number: number, last: number): Mend | undefined {
  if (isGapIn(state, last, number)) return undefined;
  return {
    sentence: `lets the head have given out numbers of ${state.name} up to ${number}`,
    apply: (draft) => {
      const list = notedList(scene, state);
      const before = list.stateIn(draft.look);
      if (before?.last !== number - 1) return;
      const isHole = isHoleIn(draft.look, list.partition, number);
      list.keep(draft, isHole ? withLeft(withNext(before), number) : withNext(before));
    },
  };
}

/** Lets the head be at the version of the newest event, where that is the last of its write and none is missing before. */
function advanced(scene: Scene, state: CollectionState, version: number): Mend | undefined {
  const { organization } = scene;
  let top = version;
  while ((state.marks.get(top + 1) & marks.record) !== 0) top++;
  if (top === version || state.revisions.get(top) !== top) return undefined;
  return {
    sentence: `lets the head be at version ${top}, that of the newest event`,
    apply: (draft) => {
      const key = headKey(organization);
      const head = draft.look(key);
      const event = draft.look(recordKey(organization, events.name, top));
      if (head && event) draft.put(key, { ...head, version: top });
    },
  };
}

/** Whether there is a number after the last one and before another of which nothing was seen. */
function isGapIn({ marks: all }: CollectionState, last: number, before: number): boolean {
  for (let number = last + 1; number < before; number++) if (all.get(number) === 0) return true;
  return false;
}

/** Proves that what is noted of deleted numbers fits what the head says of the collection. */
export async function settleNotes(scene: Scene, state: CollectionState): Promise<void> {
  const { name, notes } = state;
  const judges = suspicious(notedList(scene, state), notes, stateIn(scene.head, name));
  await scene.inPortions(judges, `the deleted numbers of ${name}`, (portion) =>
    scene.settleFindings(portion),
  );
}

function notedList(scene: Scene, state: CollectionState): NotedList {
  const { organization } = scene;
  const { name } = state;
  const list: NotedList = {
    partition: listPartition(organization, { collection: name }),
    name,
    isCollection: true,
    keeper: keyName(headKey(organization)),
    stateIn: (look) => {
      const head = scene.headIn(look);
      return head && stateIn(head, name);
    },
    keep: (draft, kept) => {
      keepIn(draft, headKey(organization), name, kept);
    },
    isDerived: (look) => isDerivedFrom(look, list, state),
  };
  return list;
}
