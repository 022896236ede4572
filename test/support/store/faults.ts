import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';

const named = (name: string, extras: object = {}) => Object.assign(new Error(name), { name, ...extras });

/** A cancelled transaction, with a reason for each of its parts. */
export function cancelled(...codes: string[]): TransactionCanceledException {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return new TransactionCanceledException({ message: 'Cancelled', $metadata: {}, CancellationReasons });
}

/** Errors as the SDK throws them. */
export const faults = {
  reset: named('Error', { code: 'ECONNRESET' }),
  timeout: named('TimeoutError'),
  serverError: named('InternalServerError', { $fault: 'server' }),
  throttled: named('ProvisionedThroughputExceededException', { $fault: 'client' }),
  throttledBeside: cancelled('None', 'ThrottlingError', 'ProvisionedThroughputExceeded'),
  throttledHead: cancelled('ThrottlingError', 'ConditionalCheckFailed'),
  conflict: cancelled('TransactionConflict', 'None'),
  conflictBeside: cancelled('None', 'TransactionConflict'),
  mixed: cancelled('ThrottlingError', 'ValidationError'),
  denied: named('AccessDeniedException', { $fault: 'client' }),
};
