import { randomUUID } from 'node:crypto';
import { toItem } from './attributes.ts';
import { kindOfPartition, redactedPartition } from './keys.ts';
import { parseHead, type Head } from './head.ts';
import {
  cancellationReasons,
  conditionFailed,
  classifyError,
  transactionConflict,
} from './dynamodb-errors.ts';
import type { System } from '../../core/system.ts';
import { Backoff } from '../../core/waits.ts';
import {
  keyOfOperation,
  type TableClient,
  type TransactOperation,
  type WriteOperation,
} from './table-client.ts';
import { unknownOutcome } from '../../core/failure.ts';
import { RequestTaken } from './keyed-request.ts';

/**
 * The outcome of a transaction. Only `stored` stored anything.
 *
 * - `moved`: another writer was faster; `winner` is the head that the other writer stored.
 * - `collided`: another transaction holds the head's item.
 * - `unsettled`: the condition of an item other than the head failed, but the read may have been stale. Either a
 *   transaction holds one of the items: an earlier write is not applied to all of them yet. Or the head was throttled,
 *   and may have moved.
 * - `stale`: the head is unchanged, the condition of another item failed, and no transaction holds an item. `where` has
 *   the partition keys of the items with a failed condition.
 */
export type CommitOutcome =
  | { kind: 'stored' }
  | { kind: 'moved'; winner: Head }
  | { kind: 'collided' }
  | { kind: 'unsettled' }
  | { kind: 'stale'; where: string[] };

/**
 * Sends a transaction until its outcome is known.
 *
 * @throws Error, with nothing sent, for an item that the table's lock refuses
 * @throws Failure `conflict` if a claimed value is taken; `throttled` if a daily count is at its maximum
 * @throws Failure `unavailable` if the deadline came first, with nothing written; `internal` if the deadline came
 * before a reply
 */
export async function commit(
  table: TableClient,
  operations: readonly WriteOperation[],
  { system, deadline }: { system: System; deadline: number },
): Promise<CommitOutcome> {
  const writes = operations.map(({ operation }) => operation);
  const backoff = new Backoff(system, deadline);
  // All tries share one token: DynamoDB then carries the transaction out once, even if a reply was lost.
  const token = randomUUID();
  let mayBeStored = false;
  for (;;) {
    try {
      await table.transact(writes, token);
      return { kind: 'stored' };
    } catch (error) {
      const reasons = cancellationReasons(error);
      // The head's version never returns to an old value, so no try of this transaction can succeed any more.
      if (reasons[0]?.Code === conditionFailed) {
        const { Item: item } = reasons[0];
        return { kind: 'moved', winner: parseHead(item && toItem(item)) };
      }
      const { Code: headCode = 'None' } = reasons[0] ?? {};
      const isHeld = headCode === transactionConflict;
      const failed = reasons.flatMap(({ Code = 'None', Item: item }, at) => {
        if (at === 0 || Code === 'None') return [];
        const refusal =
          Code === conditionFailed ? operations[at]?.refusal?.(item && toItem(item)['id']) : undefined;
        return [{ Code, refusal, ...partitionOf(writes[at]) }];
      });
      // The request is stored already. So the request itself may have made the other conditions fail.
      const taken = failed.find(({ refusal }) => refusal instanceof RequestTaken);
      if (taken?.refusal) throw taken.refusal;
      const stale = failed.filter(({ Code }) => Code === conditionFailed);
      if (stale.length > 0) {
        // Another organization can release its value without moving this head. So an earlier try may still arrive and
        // be stored.
        if (mayBeStored && stale.every(({ isOwn }) => !isOwn)) throw unknownOutcome(error);
        if (isHeld) return { kind: 'collided' };
        // The head was throttled, and not compared: the write may be built on an old head.
        if (headCode !== 'None') return { kind: 'unsettled' };
        // Report a taken value only if no other condition failed. Otherwise the record was old, and the claim may be
        // unnecessary.
        const [first] = failed;
        if (first?.refusal && failed.every(({ refusal }) => refusal)) throw first.refusal;
        return stale.length < failed.length
          ? { kind: 'unsettled' }
          : { kind: 'stale', where: stale.map(({ partition }) => partition) };
      }
      const errorClass = classifyError(error);
      if (errorClass === 'fatal') throw mayBeStored ? unknownOutcome(error) : error;
      // If the reply to an earlier try was lost, a later refusal does not show whether the earlier try was
      // stored.
      mayBeStored ||= errorClass === 'unknown';
      if (isHeld && !mayBeStored) return { kind: 'collided' };
      await backoff.wait(error, { mayBeStored });
    }
  }
}

/** An operation's partition, for a message. `isOwn`: true if the partition belongs to an organization. */
function partitionOf(operation: TransactOperation | undefined) {
  const { pk } = keyOfOperation(operation ?? {});
  return { partition: redactedPartition(pk), isOwn: kindOfPartition(pk) === 'ORG#' };
}
