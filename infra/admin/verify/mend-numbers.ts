import { countsKey, holesKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, windowSize, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import type { Finding, Mend } from './finding.ts';
import { holesOf, isHoleIn, type NotedList } from './notes.ts';
import { countOf } from './prove-notes.ts';
import { noteKept, noteLeft } from './rebuild-notes.ts';
import type { CollectionState, Scene } from './scene.ts';
import type { Look } from './snapshots.ts';

/** A number of a collection of which something is found. */
export interface FoundNumber {
  number: number;
  finding: Finding;
}

/**
 * Three things note that a number was deleted: its bucket, the count of that, and for the newest numbers the state. Where
 * the bucket alone is wrong, the other two tell, and the mend corrects the bucket.
 */
export async function settleDeleted(
  scene: Scene,
  list: NotedList,
  state: CollectionState,
  found: readonly FoundNumber[],
): Promise<void> {
  const mends = await scene.settle(
    found.map(
      ({ number }) =>
        (look) =>
          mendOf(scene, list, state, number, look),
    ),
  );
  for (const [at, { finding, number }] of found.entries()) {
    const mend = mends[at];
    if (!mend) continue;
    const apply: Mend['apply'] = (draft) => {
      mendOf(scene, list, state, number, draft.look)?.apply(draft);
    };
    finding.mend = { ...mend, apply };
  }
}

function mendOf(
  scene: Scene,
  list: NotedList,
  state: CollectionState,
  number: number,
  look: Look,
): Mend | undefined {
  const { partition } = list;
  const where = scene.nameOf(state.name, number);
  const isRecord = look(recordKey(scene.organization, state.name, number)) !== undefined;
  if (isRecord && wasKept(look, list, state, number))
    return {
      sentence: `takes back that ${where} was deleted, as the head and the counts say`,
      apply: (draft) => {
        noteKept(draft, partition, number);
      },
    };
  if (isRecord || !wasDeleted(look, list, state, number)) return undefined;
  return {
    sentence: `notes that ${where} was deleted, as the head and the counts say`,
    apply: (draft) => {
      noteLeft(draft, partition, number);
    },
  };
}

/**
 * Whether the notes of a collection can be made anew from its buckets: none of its numbers is lost, and none is both a record
 * and deleted. Until then the count and the state may be all that tells which it is.
 */
export const isDerivedFrom = (look: Look, list: NotedList, state: CollectionState): boolean =>
  state.lost.every((number) => {
    const isNoted = isHoleIn(look, list.partition, number);
    return isNoted === true || wasDeleted(look, list, state, number);
  }) && state.both.every((number) => isHoleIn(look, list.partition, number) === false);

/**
 * Whether a number of which there is no record was deleted, though its bucket does not say so: the state has it among the
 * newest that were, or the count is that of the bucket with all that are missing there.
 */
function wasDeleted(look: Look, list: NotedList, { lost }: CollectionState, number: number): boolean {
  const noted = notedOf(look, list, number);
  if (!noted) return false;
  const { state, bucket, holes, expected } = noted;
  if (isNewestHole(state, number) === true) return true;
  const missing = lost.map(bucketPositionOf).filter((one) => one.bucket === bucket && !holes.has(one.offset));
  return expected === holes.size + missing.length;
}

/**
 * Whether a number of which there is a record was not deleted, though its bucket says so: by the count fewer were, and the
 * state does not have it among the newest; or, of an older one, the count is that of the bucket without all such.
 */
function wasKept(look: Look, list: NotedList, { both }: CollectionState, number: number): boolean {
  const noted = notedOf(look, list, number);
  if (!noted) return false;
  const { state, bucket, holes, expected } = noted;
  if (!holes.has(bucketPositionOf(number).offset)) return false;
  const isNewest = isNewestHole(state, number);
  if (isNewest !== undefined) return !isNewest && (expected === undefined || expected < holes.size);
  const doubtful = both.filter((one) => {
    const position = bucketPositionOf(one);
    return position.bucket === bucket && holes.has(position.offset) && isNewestHole(state, one) !== true;
  });
  return expected === holes.size - doubtful.length;
}

/** What the notes say of the bucket of a number; undefined where they cannot be read, or the number was not given out. */
function notedOf(look: Look, list: NotedList, number: number) {
  const state = list.stateIn(look);
  const { bucket } = bucketPositionOf(number);
  const holes = holesOf(look(holesKey(list.partition, bucket)));
  const expected = state && countOf(state, bucket, look(countsKey(list.partition)));
  return state && holes && number <= state.last ? { state, bucket, holes, expected } : undefined;
}

/** Whether a state has a number among the newest that were deleted; undefined for one that it says nothing of. */
function isNewestHole({ last, newest }: ListState, number: number): boolean | undefined {
  const age = last - number;
  return age < windowSize ? ((newest >> BigInt(age)) & 1n) === 1n : undefined;
}
