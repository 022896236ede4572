import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { realSystem } from '../core/system.ts';
import { clientConfig, openStore } from '../ledger/index.ts';

const store = openStore(new DynamoDBClient(clientConfig), process.env['TABLE_NAME'] ?? '', realSystem);

/** Ways to read and write the function's table. */
export const { ledgerOf, grantOf, organizationOfPhoneNumber, dueRecords } = store;

// Lambda gives a starting function a whole CPU, so one-time work of the first call is done here, not in a
// request.
await store.warmUp();
