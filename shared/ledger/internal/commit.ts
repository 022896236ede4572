import { randomUUID } from 'node:crypto';
import { toItem } from './attributes.ts';
import { redactedPartition } from './keys.ts';
import { parseHead, type Head } from './head.ts';
import {
  Backoff,
  cancellationReasons,
  conditionFailed,
  classifyError,
  transactionConflict,
} from './dynamodb-errors.ts';
import type { System } from '../../core/system.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import { refuseForeign, type TableClient, type TransactItem } from './table-client.ts';
import type { TransactionBuilder } from './transaction-builder.ts';
import { unknownOutcome } from '../../core/failure.ts';

/**
 * The outcome of a write. Only `stored` stored anything.
 *
 * - `moved`: another writer was faster; `winner` is the head that it left.
 * - `collided`: another transaction holds the head.
 * - `stale`: the head is as it was read, but a record is not; `where` has the partition keys.
 */
export type Outcome =
  { is: 'stored' } | { is: 'moved'; winner: Head } | { is: 'collided' } | { is: 'stale'; where: string[] };

/**
 * Sends a write until its outcome is known.
 *
 * @throws Error, with nothing sent, for an item that is not the organization's; Failure `conflict` if a value that it claims is
 * taken; `throttled` if the day has as many of what it counts as it may have; `unavailable` if the deadline came first, with
 * nothing written; `internal` if the deadline came before a reply
 */
export async function commit(
  table: TableClient,
  write: Pick<TransactionBuilder, 'steps'>,
  {
    organization,
    system,
    deadline,
    withQueue,
  }: {
    organization: OrganizationCode;
    system: System;
    deadline: number;
    withQueue?: (head: Head) => Head;
  },
): Promise<Outcome> {
  const steps = write.steps(withQueue);
  const operations = steps.map(({ operation }) => operation);
  refuseForeign(organization, operations);
  const backoff = new Backoff(system, deadline);
  // One token for all tries: after a lost reply, DynamoDB does not carry out the transaction a second time.
  const token = randomUUID();
  let mayBeStored = false;
  for (;;) {
    try {
      await table.transact(operations, token);
      return { is: 'stored' };
    } catch (error) {
      const reasons = cancellationReasons(error);
      // A version never comes back, so no try of this transaction can be stored any more. Likewise below.
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
      // Only if nothing else was refused: built on an old record, a write may claim a value it does not need.
      const [first] = failed;
      if (first?.refusal && failed.every(({ refusal }) => refusal)) throw first.refusal;
      const stale = failed.filter(({ Code }) => Code === conditionFailed);
      if (stale.length > 0) {
        return isHeld
          ? { is: 'collided' }
          : { is: 'stale', where: stale.map(({ operation }) => partitionOf(operation)) };
      }
      const errorClass = classifyError(error);
      if (errorClass === 'fatal') throw mayBeStored ? unknownOutcome(error) : error;
      // After a lost reply, the refusal of a later try says nothing about the earlier one.
      mayBeStored ||= errorClass === 'unknown';
      if (isHeld && !mayBeStored) return { is: 'collided' };
      await backoff.wait(error, { mayBeStored });
    }
  }
}

/** An operation's partition, for a message. */
function partitionOf(operation: TransactItem | undefined): string {
  const key = operation?.Put?.Item ?? operation?.Delete?.Key ?? operation?.Update?.Key;
  return redactedPartition(String(key?.['pk']));
}
