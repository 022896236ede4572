import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { realOutside } from './outside.ts';
import { openStore } from './store.ts';

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

/** The table of the function that this runs in. */
export const { ledgerOf, grantOf } = openStore(
  new DynamoDBClient(clientConfig),
  process.env['TABLE_NAME'] ?? '',
  realOutside,
);
