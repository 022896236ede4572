import { randomUUID } from 'node:crypto';
import { toItem } from './attributes.ts';
import { parseHead, type Head } from './head.ts';
import {
  Backoff,
  cancellationReasons,
  conditionFailed,
  classifyError,
  transactionConflict,
} from './retry.ts';
import type { System } from '../../core/system.ts';
import type { TableClient, TransactItem } from './table-client.ts';
import type { Write } from './write.ts';
import { unknownOutcome } from '../../core/failure.ts';

/**
 * What became of a write that was sent. Only `stored` stored anything.
 *
 * - `moved`: another writer was faster; this is the head that it left.
 * - `collided`: another transaction has the head just now.
 * - `stale`: a record is not what was read, though the head is; `where` has the partition keys.
 */
export type Outcome =
  { is: 'stored' } | { is: 'moved'; winner: Head } | { is: 'collided' } | { is: 'stale'; where: string[] };

/**
 * Sends a write until what became of it is known.
 *
 * @throws Failure `conflict` when a value that it claims is taken; Failure `unavailable` when the deadline came first, with
 * nothing written; Failure `internal` when it came before a reply.
 */
export async function commit(
  table: TableClient,
  write: Write,
  { system, deadline, withQueue }: { system: System; deadline: number; withQueue?: (head: Head) => Head },
): Promise<Outcome> {
  const steps = write.steps(withQueue);
  const operations = steps.map(({ operation }) => operation);
  const backoff = new Backoff(system, deadline);
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
      const isHeld = reasons[0]?.Code === transactionConflict;
      const failed = reasons.flatMap(({ Code = 'None', Item: item }, at) => {
        if (at === 0 || Code === 'None') return [];
        const refusal =
          Code === conditionFailed ? steps[at]?.refusal?.(item && toItem(item)['id']) : undefined;
        return [{ Code, refusal, operation: operations[at] }];
      });
      // Only where nothing else was refused: on an old record, the write may ask for a value that it need not.
      const [first] = failed;
      if (first?.refusal && failed.every(({ refusal }) => refusal)) throw first.refusal;
      const stale = failed.filter(({ Code }) => Code === conditionFailed);
      if (stale.length > 0) {
        return isHeld
          ? { is: 'collided' }
          : { is: 'stale', where: stale.map(({ operation }) => partitionOf(operation)) };
      }
      const fate = classifyError(error);
      if (fate === 'fatal') throw mayBeStored ? unknownOutcome(error) : error;
      // Once a reply was lost, a refusal of a later try says nothing of the earlier one.
      mayBeStored ||= fate === 'unknown';
      if (isHeld && !mayBeStored) return { is: 'collided' };
      await backoff.wait(error, { mayBeStored });
    }
  }
}

/** The partition of an operation's item, for a sentence. Sort keys, and what is behind TOKEN, are not for every eye. */
function partitionOf(operation: TransactItem | undefined): string {
  const key = operation?.Put?.Item ?? operation?.Delete?.Key ?? operation?.Update?.Key;
  return String(key?.['pk']).replace(/^TOKEN#.*/, 'TOKEN');
}
