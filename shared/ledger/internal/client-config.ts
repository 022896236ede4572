import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * A call that hangs ends soon enough to be tried again, whether it gets no reply or half of one. The SDK itself tries
 * once: what became of every try is for the ledger to know, which tells a lost reply from a refusal and waits less.
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
