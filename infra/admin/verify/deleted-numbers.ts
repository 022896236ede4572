import { countsKey, holesKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, windowSize, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import type { Finding } from './finding.ts';
import type { Repair, RepairStep } from './repair-plan.ts';
import { holesOf, isHoleIn, type StoredList } from './hole-items.ts';
import { expectedHoles } from './hole-checks.ts';
import { removeHole, addHole } from './rebuild-holes.ts';
import type { ObservedCollection, Verification } from './verification.ts';
import type { Snapshot } from './snapshots.ts';

export interface FoundNumber {
  number: number;
  finding: Finding;
}

/**
 * Plans repairs of wrong buckets of a collection. A deleted number shows in its bucket, in the bucket's
 * count, and, if it is one of the newest numbers, in the list state. If the bucket alone is wrong, the repair
 * corrects it from the other two.
 */
export async function planDeletedNumbers(
  verification: Verification,
  list: StoredList,
  observed: ObservedCollection,
  found: readonly FoundNumber[],
): Promise<void> {
  const repairs = await verification.runChecks(
    found.map(
      ({ number }) =>
        (snapshot) =>
          repairOf(verification, list, observed, number, snapshot),
    ),
  );
  for (const [at, { finding, number }] of found.entries()) {
    const repair = repairs[at];
    if (!repair) continue;
    const addTo: RepairStep = (plan) => {
      repairOf(verification, list, observed, number, plan)?.addTo(plan);
    };
    finding.repair = { ...repair, addTo };
  }
}

function repairOf(
  verification: Verification,
  list: StoredList,
  observed: ObservedCollection,
  number: number,
  snapshot: Snapshot,
): Repair | undefined {
  const { partition } = list;
  const where = verification.nameOf(observed.name, number);
  const isRecord = snapshot.get(recordKey(verification.organization, observed.name, number)) !== undefined;
  if (isRecord && wasKept(snapshot, list, observed, number))
    return {
      sentence: `removes the hole of ${where}, as the head and the counts say`,
      addTo: (plan) => {
        removeHole(plan, partition, number);
      },
    };
  if (isRecord || !wasDeleted(snapshot, list, observed, number)) return undefined;
  return {
    sentence: `makes the number of ${where} a hole, as the head and the counts say`,
    addTo: (plan) => {
      addHole(plan, partition, number);
    },
  };
}

/**
 * True if the hole items of a collection can be rebuilt from its buckets: no number is lost, and none is both
 * a record and a hole. Until then the count and the state may be all that tells which of the two it is.
 */
export const canRebuildHolesOf = (
  snapshot: Snapshot,
  list: StoredList,
  observed: ObservedCollection,
): boolean =>
  observed.lost.every((number) => {
    const isHole = isHoleIn(snapshot, list.partition, number);
    return isHole === true || wasDeleted(snapshot, list, observed, number);
  }) && observed.both.every((number) => isHoleIn(snapshot, list.partition, number) === false);

/**
 * True if a number without a record was deleted although its bucket has no hole there: the state has a hole
 * there, or the count equals the bucket's holes plus all lost numbers of the bucket.
 */
function wasDeleted(
  snapshot: Snapshot,
  list: StoredList,
  { lost }: ObservedCollection,
  number: number,
): boolean {
  const around = holesAround(snapshot, list, number);
  if (!around) return false;
  const { state, bucket, holes, expected } = around;
  if (isNewestHole(state, number) === true) return true;
  const missing = lost.map(bucketPositionOf).filter((one) => one.bucket === bucket && !holes.has(one.offset));
  return expected === holes.size + missing.length;
}

/**
 * True if a number with a record was not deleted although its bucket has a hole there. For one of the newest
 * numbers: the state has no hole there, and the count is less than the bucket's holes. For an older one: the
 * count equals the bucket's holes less all such numbers.
 */
function wasKept(
  snapshot: Snapshot,
  list: StoredList,
  { both }: ObservedCollection,
  number: number,
): boolean {
  const around = holesAround(snapshot, list, number);
  if (!around) return false;
  const { state, bucket, holes, expected } = around;
  if (!holes.has(bucketPositionOf(number).offset)) return false;
  const isNewest = isNewestHole(state, number);
  if (isNewest !== undefined) return !isNewest && (expected === undefined || expected < holes.size);
  const suspects = both.filter((one) => {
    const position = bucketPositionOf(one);
    return position.bucket === bucket && holes.has(position.offset) && isNewestHole(state, one) !== true;
  });
  return expected === holes.size - suspects.length;
}

/**
 * Holes and count of the number's bucket; undefined if they are malformed, or if the number was not given
 * out.
 */
function holesAround(snapshot: Snapshot, list: StoredList, number: number) {
  const state = list.stateIn(snapshot);
  const { bucket } = bucketPositionOf(number);
  const holes = holesOf(snapshot.get(holesKey(list.partition, bucket)));
  const expected = state && expectedHoles(state, bucket, snapshot.get(countsKey(list.partition)));
  return state && holes && number <= state.last ? { state, bucket, holes, expected } : undefined;
}

/** Undefined for a number older than the state's window. */
function isNewestHole({ last, newest }: ListState, number: number): boolean | undefined {
  const age = last - number;
  return age < windowSize ? ((newest >> BigInt(age)) & 1n) === 1n : undefined;
}
