import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { realOutside } from './outside.ts';
import { openStore } from './store.ts';

/**
 * The table of the function this runs in, with the time limits that `docs/data-model.md` gives: a call that hangs ends
 * soon enough to be tried again.
 */
export const { ledgerOf, grantOf } = openStore(
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  }),
  process.env['TABLE_NAME'] ?? '',
  realOutside,
);
