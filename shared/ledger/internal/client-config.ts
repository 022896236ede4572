import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * Timeouts short enough to retry a call that gets no reply, or half of one. The SDK does not retry: the
 * ledger must see every outcome, since it tells a lost reply from a refusal, and waits less.
 */
export const clientConfig = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: 2000,
    socketTimeout: 2000,
    throwOnRequestTimeout: true,
  },
} as const satisfies DynamoDBClientConfig;
