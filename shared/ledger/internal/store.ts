import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Caller } from './caller.ts';
import { Grant } from './grant.ts';
import { grantKey, nowhere } from './keys.ts';
import { Ledger } from './ledger.ts';
import { newConsumedCapacity } from './consumed-capacity.ts';
import type { System } from '../../core/system.ts';
import { TableClient, type Clients } from './table-client.ts';

/** The table that holds every organization's ledger. */
export interface Store {
  /** The ledger of the caller's organization. */
  readonly ledgerOf: (caller: Caller) => Ledger;
  /** What the token with this hash grants, or undefined. One round trip. */
  readonly grantOf: (
    tokenHash: string,
    limits: Pick<Caller, 'deadline' | 'capacity'>,
  ) => Promise<Grant | undefined>;
  /** Makes a first call, so that the next one finds all loaded and a connection open. Takes a second at most; never throws. */
  readonly warmUp: () => Promise<void>;
}

/** Opens the table; makes no call. */
export function openStore(client: DynamoDBClient, tableName: string, system: System): Store {
  const marshallOptions = { removeUndefinedValues: true };
  const clients: Clients = {
    plain: client,
    documents: DynamoDBDocumentClient.from(client, { marshallOptions }),
  };
  // It copies the input and output of every call, whether or not they are logged, and nothing here ever is.
  client.middlewareStack.remove('loggerMiddleware');
  return {
    ledgerOf: (caller) => new Ledger(new TableClient(clients, tableName, system, caller), system, caller),
    grantOf: async (tokenHash, limits) => {
      const item = await new TableClient(clients, tableName, system, limits).get(grantKey(tokenHash));
      return item && v.parse(Grant, item);
    },
    warmUp: async () => {
      const limits = { deadline: system.now() + 300, capacity: newConsumedCapacity() };
      await new TableClient(clients, tableName, system, limits).get(nowhere).catch(() => undefined);
    },
  };
}
