import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { realSystem } from '../core/system.ts';
import { clientConfig, openStore } from '../ledger/index.ts';

const store = openStore(new DynamoDBClient(clientConfig), process.env['TABLE_NAME'] ?? '', realSystem);

/** The table of this function. */
export const { ledgerOf, grantOf, organizationOfPhoneNumber, dueRecords } = store;

// Lambda gives a starting function a whole CPU, so the first call's one-time work is done now, not in a
// request.
await store.warmUp();
