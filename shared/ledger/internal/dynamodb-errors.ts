import { TransactionCanceledException, type CancellationReason } from '@aws-sdk/client-dynamodb';
import type { System } from '../../core/system.ts';
import { unavailable, unknownOutcome } from '../../core/failure.ts';

/**
 * How to treat a failed call to DynamoDB. `refused`: not carried out, may be retried. `unknown`: no reply, so
 * it may have been carried out. `fatal`: a retry would not help.
 */
export type ErrorClass = 'refused' | 'unknown' | 'fatal';

/** The reason code of an operation whose item another transaction holds. */
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

/** The reason code of an operation whose condition did not hold. */
export const conditionFailed = 'ConditionalCheckFailed';

/** The reason for each operation of a cancelled transaction, in their order; empty for any other error. */
export function cancellationReasons(error: unknown): CancellationReason[] {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
}

/** Classifies an error of the AWS SDK. One that comes from neither DynamoDB nor the network is `fatal`. */
export function classifyError(error: unknown): ErrorClass {
  if (!(error instanceof Error)) return 'fatal';
  const codes = cancellationReasons(error).flatMap(({ Code = 'None' }) => (Code === 'None' ? [] : [Code]));
  if (codes.length > 0) return codes.every((code) => refusals.has(code)) ? 'refused' : 'fatal';
  if (refusals.has(error.name)) return 'refused';
  const fromServer = '$fault' in error && error.$fault === 'server';
  // Such as ECONNRESET; ERR_… are programming errors.
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
   * Waits before the next try. `cause`: the error that makes it necessary; `mayBeStored`: a write was sent,
   * and its outcome is unknown.
   *
   * @throws Failure `unavailable` if the deadline leaves no time: nothing was written; `internal` if
   * `mayBeStored`
   */
  async wait(cause: unknown, { mayBeStored = false } = {}): Promise<void> {
    const wait = this.#system.random() * Math.min(1280, 10 * 2 ** this.#tries++);
    if (this.#system.now() + wait >= this.#deadline) {
      throw mayBeStored ? unknownOutcome(cause) : unavailable(cause);
    }
    await this.#system.sleep(wait);
  }
}
