import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig, openStore, type FunctionPrincipal } from '../../ledger/index.ts';
import { system } from './system.ts';

const store = openStore(new DynamoDBClient(clientConfig), process.env['TABLE_NAME'] ?? '', system);

/** Ways to read and write the function's table. */
export const { grantOf, noteUse, organizationOfPhoneNumber, dueRecords, dueCursors } = store;

/** The ledger of the principal's organization. A function must say its `reach`: see `Principal`. */
export const ledgerOf = (principal: FunctionPrincipal, options?: { isSerializable: boolean }) =>
  store.ledgerOf(principal, options);

// Lambda gives a starting function a whole CPU, so one-time work of the first call is done here, not in a
// request.
await store.warmUp();
