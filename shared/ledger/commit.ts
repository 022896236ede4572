import { randomUUID } from 'node:crypto';
import { unknownOutcome } from '../endpoints/errors.ts';
import { toItem } from './attributes.ts';
import { parseHead, type Head } from './head.ts';
import { Backoff, cancellationReasons, conditionFailed, fateOf, transactionConflict } from './retry.ts';
import type { Outside } from './outside.ts';
import type { Table } from './table.ts';
import type { Write } from './write.ts';

/**
 * What became of a write that was sent. Only `stored` stored anything.
 *
 * - `moved`: another writer was faster; this is the head that it left.
 * - `collided`: another transaction has the head just now.
 * - `stale`: a record had been changed since it was read, by a write that the head did show.
 */
export type Outcome = { is: 'stored' } | { is: 'moved'; winner: Head } | { is: 'collided' } | { is: 'stale' };

/**
 * Sends a write until what became of it is known.
 *
 * @throws Failure `conflict` when a value that it claims is taken; Failure `unavailable` when the deadline came first, with
 * nothing written; Failure `internal` when it came before a reply.
 */
export async function commit(
  table: Table,
  write: Write,
  { outside, deadline, passOn }: { outside: Outside; deadline: number; passOn?: (head: Head) => Head },
): Promise<Outcome> {
  const steps = write.steps(passOn);
  const operations = steps.map(({ operation }) => operation);
  const backoff = new Backoff(outside, deadline);
  // With one token for all tries, a transaction whose reply was lost is not carried out a second time.
  const token = randomUUID();
  let mayBeStored = false;
  for (;;) {
    try {
      await table.transact(operations, token);
      return { is: 'stored' };
    } catch (error) {
      const reasons = cancellationReasons(error);
      // A version never comes back, so no try of this transaction can be carried out any more. The same goes for the
      // conditions below.
      if (reasons[0]?.Code === conditionFailed) {
        const { Item: item } = reasons[0];
        return { is: 'moved', winner: parseHead(item && toItem(item)) };
      }
      const failed = reasons.flatMap(({ Code, Item: item }, at) =>
        Code === conditionFailed ? [{ step: steps[at], item: item && toItem(item) }] : [],
      );
      for (const { step, item } of failed) {
        const refusal = step?.refusal?.(item?.['id']);
        if (refusal) throw refusal;
      }
      if (failed.length > 0) return { is: 'stale' };
      const fate = fateOf(error);
      if (fate === 'fatal') throw mayBeStored ? unknownOutcome(error) : error;
      // Once a reply was lost, a refusal of a later try says nothing of the earlier one.
      mayBeStored ||= fate === 'unknown';
      if (reasons[0]?.Code === transactionConflict && !mayBeStored) return { is: 'collided' };
      await backoff.wait(error, { mayBeStored });
    }
  }
}
