import { TransactionCanceledException, type CancellationReason } from '@aws-sdk/client-dynamodb';
import type { System } from '../../core/system.ts';
import { unavailable, unknownOutcome } from '../../core/failure.ts';

/**
 * What a failed call to DynamoDB tells. `refused`: it was not carried out, and may be tried again. `unknown`: no
 * reply, so it may have been carried out. `fatal`: trying again would not help.
 */
export type ErrorClass = 'refused' | 'unknown' | 'fatal';

/** The code of a part of a transaction whose item another transaction had. */
export const transactionConflict = 'TransactionConflict';

const refusals = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  // Reasons inside a TransactionCanceledException, which the SDK does not retry.
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  transactionConflict,
]);

const lostReplies = new Set(['TimeoutError', 'AbortError', 'SyntaxError', 'TransactionInProgressException']);

/** The code of a part of a transaction whose condition did not hold. */
export const conditionFailed = 'ConditionalCheckFailed';

/** Why each part of a cancelled transaction was not carried out, in their order; none for any other error. */
export function cancellationReasons(error: unknown): CancellationReason[] {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
}

/** Sorts an error of the AWS SDK. Anything that is not DynamoDB's or the network's is fatal. */
export function classifyError(error: unknown): ErrorClass {
  if (!(error instanceof Error)) return 'fatal';
  const codes = cancellationReasons(error).flatMap(({ Code = 'None' }) => (Code === 'None' ? [] : [Code]));
  if (codes.length > 0) return codes.every((code) => refusals.has(code)) ? 'refused' : 'fatal';
  if (refusals.has(error.name)) return 'refused';
  const fromServer = '$fault' in error && error.$fault === 'server';
  // Such as ECONNRESET; ERR_… are the codes of mistakes.
  const fromSocket = 'code' in error && typeof error.code === 'string' && /^E(?!RR_)/.test(error.code);
  return fromServer || fromSocket || lostReplies.has(error.name) ? 'unknown' : 'fatal';
}

/** Waits between tries with full jitter, from 10 ms doubling to 1.28 s, and gives up at the deadline. */
export class Backoff {
  readonly #system: System;
  readonly #deadline: number;
  #tries = 0;

  constructor(system: System, deadline: number) {
    this.#system = system;
    this.#deadline = deadline;
  }

  /**
   * Waits before the next try. `cause` is the error that makes it necessary; `mayBeStored` says that a write was sent
   * of which no reply has told what became of it.
   *
   * @throws Failure `unavailable` when the deadline leaves no time: nothing was written. With `mayBeStored`, that
   * would be a lie: Failure `internal` instead.
   */
  async wait(cause: unknown, { mayBeStored = false } = {}): Promise<void> {
    const wait = this.#system.random() * Math.min(1280, 10 * 2 ** this.#tries++);
    if (this.#system.now() + wait >= this.#deadline) {
      throw mayBeStored ? unknownOutcome(cause) : unavailable(cause);
    }
    await this.#system.sleep(wait);
  }
}
