import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { numberingOf } from '../../../shared/ledger/internal/head.ts';
import { deletedKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, positionOf, windowSize } from '../../../shared/ledger/internal/numbering.ts';
import type { Finding } from './finding.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';
import type { Judge, Look } from './snapshots.ts';

const Holes = v.object({
  offsets: v.set(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(bucketSize - 1))),
});

/** The holes that a bucket's item notes; undefined where it cannot be read. */
export function holesOf(item: Item | undefined): ReadonlySet<number> | undefined {
  if (item === undefined) return new Set();
  const result = v.safeParse(Holes, item);
  return result.success ? result.output.offsets : undefined;
}

/** Notes the holes of one bucket. */
export function observeBucket(state: CollectionState, bucket: number, offsets: ReadonlySet<number>): void {
  state.holes.set(bucket, offsets.size);
  for (const offset of offsets) mark(state, bucket * bucketSize + offset + 1, marks.hole);
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
  const { last } = numberingOf(scene.head, state.name);
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
    const { bucket, offset } = positionOf(number);
    const isHole = holesOf(look(deletedKey(organization, name, bucket)))?.has(offset) ?? false;
    if (!head) return { isHole };
    const { last } = numberingOf(head, name);
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

/** Proves that the head's counts of deleted numbers, and its window of the newest, are what the buckets note. */
export async function settleHoles(scene: Scene, state: CollectionState): Promise<void> {
  const { deleted, last, newest = '0' } = numberingOf(scene.head, state.name);
  const buckets = new Set([...deleted.keys(), ...state.holes.keys()]);
  const doubtful = [...buckets].filter((at) => (deleted[at] ?? 0) !== (state.holes.get(at) ?? 0));
  await scene.inPortions(doubtful, `the deleted numbers of ${state.name}`, (portion) =>
    scene.settleFindings(portion.map((bucket) => judgeBucket(scene, state.name, bucket))),
  );
  const window = windowOf(last, (number) => (state.marks.get(number) & marks.hole) !== 0);
  if (window !== newest) await scene.settleFindings([judgeWindow(scene, state.name)]);
}

function judgeBucket(scene: Scene, name: string, bucket: number): Judge<Finding | undefined> {
  const key = deletedKey(scene.organization, name, bucket);
  return (look) => {
    const head = scene.headIn(look);
    const holes = holesOf(look(key));
    const count = head && (numberingOf(head, name).deleted[bucket] ?? 0);
    // A bucket that cannot be read is a finding of its own.
    if (count === undefined || holes === undefined || count === holes.size) return undefined;
    return {
      kind: 'hole-count',
      where: `${key.pk} ${key.sk}`,
      sentence: `The head counts ${count} deleted numbers in bucket ${bucket} of ${name}, which notes ${holes.size}.`,
    };
  };
}

function judgeWindow(scene: Scene, name: string): Judge<Finding | undefined> {
  return (look) => {
    const head = scene.headIn(look);
    if (!head) return undefined;
    const { last, newest = '0' } = numberingOf(head, name);
    const expected = windowOf(last, (number) => isNoted(scene, name, number, look));
    if (expected === newest) return undefined;
    return {
      kind: 'hole-window',
      where: `ORG#${scene.organization} HEAD`,
      sentence: `The head says ${newest} of which of the newest ${windowSize} numbers of ${name} are deleted, and the buckets say ${expected}.`,
    };
  };
}

function isNoted(scene: Scene, name: string, number: number, look: Look): boolean {
  const { bucket, offset } = positionOf(number);
  return holesOf(look(deletedKey(scene.organization, name, bucket)))?.has(offset) ?? false;
}

/** The head's window as it must be. */
function windowOf(last: number, isHole: (number: number) => boolean): string {
  let window = 0n;
  for (let age = 0; age < windowSize && age < last; age++) {
    if (isHole(last - age)) window |= 1n << BigInt(age);
  }
  return window.toString(16);
}
