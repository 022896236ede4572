import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, listPartition, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { keyName, type Finding } from './finding.ts';
import { holesIn, isHoleIn, suspicious, unreadable, type NotedList, type Notes } from './notes.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/** Takes note of what is noted of the numbers of a collection. */
export function observeNotes(scene: Scene, state: CollectionState, notes: Notes): void {
  const { partition } = notedList(scene, state);
  scene.findings.push(...unreadable(partition, notes, false));
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
  await scene.inPortions(doubtful(state, last), `the numbers of ${state.name}`, async (numbers) => {
    const results = await scene.settle(numbers.map((number) => judgeNumber(scene, state, number)));
    for (const [at, result] of results.entries()) {
      const number = numbers[at];
      if (number === undefined || result === undefined) continue;
      if (result.finding) scene.findings.push(result.finding);
      if (result.item) observe(number, result.item);
      if (result.isHole) mark(state, number, marks.hole);
      if (!result.item && !result.isHole) mark(state, number, marks.lost);
    }
  });
  state.settledTo = last;
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
  { name }: CollectionState,
  number: number,
): Judge<{ finding?: Finding; item?: Item | undefined; isHole: boolean }> {
  const { organization } = scene;
  return (look) => {
    const head = scene.headIn(look);
    const item = look(recordKey(organization, name, number));
    const isHole = isHoleIn(look, listPartition(organization, { collection: name }), number) ?? false;
    if (!head) return { isHole };
    const { last } = stateIn(head, name);
    const finding = findingOf(scene, name, number, { last, isRecord: item !== undefined, isHole });
    return { item, isHole, ...(finding && { finding }) };
  };
}

function findingOf(
  scene: Scene,
  name: string,
  number: number,
  { last, isRecord, isHole }: { last: number; isRecord: boolean; isHole: boolean },
): Finding | undefined {
  const where = scene.nameOf(name, number);
  const isEvent = name === events.name;
  if (number > last) {
    if (isRecord)
      return {
        kind: isEvent ? 'event-beyond' : 'record-beyond',
        where,
        sentence: `${where} is there, but the head has given out numbers of ${name} up to ${last} only.`,
      };
    const sentence = `${where} is noted as deleted, but the head has given out numbers of ${name} up to ${last} only.`;
    return isHole ? { kind: 'hole-beyond', where, sentence } : undefined;
  }
  if (isRecord && isHole)
    return { kind: 'record-and-hole', where, sentence: `${where} is there, and is noted as deleted too.` };
  if (isRecord || isHole) return undefined;
  return isEvent
    ? { kind: 'event-missing', where, sentence: `${where} is missing.` }
    : { kind: 'record-missing', where, sentence: `${where} is missing, and is not noted as deleted.` };
}

/** Proves that what is noted of deleted numbers fits what the head says of the collection. */
export async function settleNotes(scene: Scene, state: CollectionState): Promise<void> {
  const { name, notes } = state;
  const judges = suspicious(notedList(scene, state), notes, stateIn(scene.head, name));
  await scene.inPortions(judges, `the deleted numbers of ${name}`, (portion) =>
    scene.settleFindings(portion),
  );
}

function notedList(scene: Scene, { name }: CollectionState): NotedList {
  const { organization } = scene;
  return {
    partition: listPartition(organization, { collection: name }),
    name,
    isCollection: true,
    keeper: keyName(headKey(organization)),
    stateIn: (look) => {
      const head = scene.headIn(look);
      return head && stateIn(head, name);
    },
  };
}
