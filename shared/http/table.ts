import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../ledger/internal/client-config.ts';
import { realSystem } from '../core/system.ts';
import { openStore } from '../ledger/internal/store.ts';

const store = openStore(new DynamoDBClient(clientConfig), process.env['TABLE_NAME'] ?? '', realSystem);

/** The table of the function that this runs in. */
export const { ledgerOf, grantOf } = store;

// While a function starts, Lambda gives it a whole CPU: what the first call takes is done then, not in a request.
await store.warmUp();
