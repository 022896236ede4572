import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Caller } from './caller.ts';
import { Grant } from './grant.ts';
import { grantKey, nowhere } from './keys.ts';
import { Ledger } from './ledger.ts';
import { newMeter } from './consumed-capacity.ts';
import type { Outside } from '../../core/system.ts';
import { Table, type Clients } from './table-client.ts';

/** The table that holds every organization's ledger. */
export interface Store {
  /** The ledger of the caller's organization. */
  readonly ledgerOf: (caller: Caller) => Ledger;
  /** What the token with this hash grants, or undefined. One round trip. */
  readonly grantOf: (
    tokenHash: string,
    limits: Pick<Caller, 'deadline' | 'meter'>,
  ) => Promise<Grant | undefined>;
  /** Makes a first call, so that the next one finds all loaded and a connection open. Takes a second at most; never throws. */
  readonly prime: () => Promise<void>;
}

/** Opens the table; makes no call. */
export function openStore(client: DynamoDBClient, tableName: string, outside: Outside): Store {
  const marshallOptions = { removeUndefinedValues: true };
  const clients: Clients = {
    plain: client,
    documents: DynamoDBDocumentClient.from(client, { marshallOptions }),
  };
  // It copies the input and output of every call, whether or not they are logged, and nothing here ever is.
  client.middlewareStack.remove('loggerMiddleware');
  return {
    ledgerOf: (caller) => new Ledger(new Table(clients, tableName, outside, caller), outside, caller),
    grantOf: async (tokenHash, limits) => {
      const item = await new Table(clients, tableName, outside, limits).get(grantKey(tokenHash));
      return item && v.parse(Grant, item);
    },
    prime: async () => {
      const limits = { deadline: outside.now() + 300, meter: newMeter() };
      await new Table(clients, tableName, outside, limits).get(nowhere).catch(() => undefined);
    },
  };
}
