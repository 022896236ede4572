import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
  type AttributeValue,
  type CancellationReason,
} from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

/** A request that DynamoDB would refuse with a ValidationException, so the code that sends it is wrong. */
export class Invalid extends Error {}

/** A feature of DynamoDB that the simulation does not support. */
export class NotSimulated extends Error {
  constructor(what: string) {
    super(`The simulated DynamoDB does not have ${what}`);
    this.name = 'NotSimulated';
  }
}

/** Metadata that the SDK adds to every reply and error without retries. */
export const metadataOf = (httpStatusCode: number) => ({ httpStatusCode, attempts: 1, totalRetryDelay: 0 });

const refused = () => ({ $metadata: metadataOf(400) });

/** Errors of the AWS SDK. */
export const sdkErrors = {
  invalid: (message: string) =>
    new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', message, ...refused() }),
  noTable: () => new ResourceNotFoundException({ message: 'Requested resource not found', ...refused() }),
  cancelled: (reasons: CancellationReason[]) =>
    new TransactionCanceledException({
      message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons
        .map(({ Code }) => Code)
        .join(', ')}]`,
      CancellationReasons: reasons,
      ...refused(),
    }),
  conflict: () =>
    new TransactionConflictException({ message: 'Transaction is ongoing for the item', ...refused() }),
  conditionFailed: (item: Item | undefined) =>
    new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      ...(item && { Item: item }),
      ...refused(),
    }),
  inProgress: () =>
    new TransactionInProgressException({
      message: 'The transaction with the given request token is already in progress.',
      ...refused(),
    }),
  otherParameters: () =>
    new IdempotentParameterMismatchException({
      message: 'The request uses the same client token as a previous, but non-identical request.',
      ...refused(),
    }),
  throughputExceeded: () =>
    new ProvisionedThroughputExceededException({
      message: 'The level of configured provisioned throughput for the table was exceeded.',
      ...refused(),
    }),
  throttling: () =>
    new ThrottlingException({
      message: 'Throughput exceeds the current capacity of your table or index.',
      ...refused(),
    }),
  internal: () => new InternalServerError({ message: 'Internal server error', $metadata: metadataOf(500) }),
  /** Error of Node.js's HTTP client, as the SDK renames it. */
  reset: () =>
    Object.assign(new Error('read ECONNRESET'), {
      name: 'TimeoutError',
      code: 'ECONNRESET',
      errno: -104,
      syscall: 'read',
      $metadata: { attempts: 1, totalRetryDelay: 0 },
    }),
  timeout: (milliseconds: number) =>
    Object.assign(
      new Error(
        `@smithy/node-http-handler - [ERROR] a request has exceeded the configured ${milliseconds} ms requestTimeout.`,
      ),
      { name: 'TimeoutError', code: 'ETIMEDOUT', $metadata: { attempts: 1, totalRetryDelay: 0 } },
    ),
  aborted: (cause: unknown) =>
    Object.assign(new Error('Request aborted', { cause }), {
      name: 'AbortError',
      $metadata: { attempts: 1, totalRetryDelay: 0 },
    }),
};

/** Reasons of DynamoDB for refusing a part of a transaction. */
export const reasons = {
  none: (): CancellationReason => ({ Code: 'None' }),
  conflict: (): CancellationReason => ({
    Code: 'TransactionConflict',
    Message: 'Transaction is ongoing for the item',
  }),
  conditionFailed: (item: Item | undefined): CancellationReason => ({
    Code: 'ConditionalCheckFailed',
    Message: 'The conditional request failed',
    ...(item && { Item: item }),
  }),
  throttled: (): CancellationReason => ({
    Code: 'ThrottlingError',
    Message: 'Throughput exceeds the current capacity for one or more global secondary indexes.',
  }),
  invalid: (Message: string): CancellationReason => ({ Code: 'ValidationError', Message }),
};
