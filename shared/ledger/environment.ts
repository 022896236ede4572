import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from './client-config.ts';
import { realOutside } from './outside.ts';
import { openStore } from './store.ts';

/** The table of the function that this runs in. */
export const { ledgerOf, grantOf } = openStore(
  new DynamoDBClient(clientConfig),
  process.env['TABLE_NAME'] ?? '',
  realOutside,
);
