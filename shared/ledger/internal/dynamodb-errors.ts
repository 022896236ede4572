import { TransactionCanceledException, type CancellationReason } from '@aws-sdk/client-dynamodb';

/**
 * The class of a failed call to DynamoDB.
 *
 * - `refused`: DynamoDB did not carry out the call; a retry may succeed.
 * - `unknown`: there was no reply, so DynamoDB may have carried out the call.
 * - `fatal`: a retry would fail too.
 */
export type ErrorClass = 'refused' | 'unknown' | 'fatal';

/** Reason code of an operation on an item that another transaction holds. */
export const transactionConflict = 'TransactionConflict';

const refusals = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  // Reason codes inside a TransactionCanceledException.
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  transactionConflict,
]);

const lostReplies = new Set(['TimeoutError', 'AbortError', 'SyntaxError', 'TransactionInProgressException']);

/** Reason code of an operation with a failed condition. */
export const conditionFailed = 'ConditionalCheckFailed';

/** The reasons of a cancelled transaction, in the order of its operations. Empty for any other error. */
export function cancellationReasons(error: unknown): CancellationReason[] {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
}

/** Classifies an error of the AWS SDK. An error that comes from neither DynamoDB nor the network is `fatal`. */
export function classifyError(error: unknown): ErrorClass {
  if (!(error instanceof Error)) return 'fatal';
  const codes = cancellationReasons(error).flatMap(({ Code = 'None' }) => (Code === 'None' ? [] : [Code]));
  if (codes.length > 0) return codes.every((code) => refusals.has(code)) ? 'refused' : 'fatal';
  if (refusals.has(error.name)) return 'refused';
  const fromServer = '$fault' in error && error.$fault === 'server';
  // ECONNRESET and the like. ERR_… are programming errors.
  const fromSocket = 'code' in error && typeof error.code === 'string' && /^E(?!RR_)/.test(error.code);
  return fromServer || fromSocket || lostReplies.has(error.name) ? 'unknown' : 'fatal';
}
