import { Failure } from '../../core/failure.ts';
import type { RecordRef, Write } from '../../ledger/index.ts';

/** Number of steps that one request runs at most. */
const maxSteps = 10;

/**
 * Runs the steps of a removal that is too long for one transaction. Each step is one transaction that leaves
 * every list consistent, and returns true if nothing is left to remove. So the removal can stop at any step,
 * and be requested again.
 *
 * @param hasStored true if the request has stored something before
 * @returns true if nothing is left; false if the request has run `maxSteps` steps or out of time
 * @throws Failure `unavailable` if nothing was stored before time ran out; as a step does
 */
export async function runSteps(
  step: () => Promise<boolean>,
  { hasStored }: { hasStored: boolean },
): Promise<boolean> {
  for (let steps = 0; steps < maxSteps; steps++) {
    try {
      if (await step()) return true;
    } catch (error) {
      // Some steps are stored, so an answer that nothing was changed would be false.
      if ((hasStored || steps > 0) && error instanceof Failure && error.kind === 'unavailable') return false;
      throw error;
    }
  }
  return false;
}

/**
 * Reads the owner of a removed record's lists, in a step that removes members of the lists. The owner is the item that
 * the removal left. If another removal was faster, that item is gone, and the missing record is read in its place.
 */
export async function readRemovedOwner(
  write: Write,
  ref: RecordRef,
  options?: { settled: boolean },
): Promise<void> {
  if (!(await write.readFormer(ref, options))) await write.read(ref, { mayStayUnchanged: true });
}
