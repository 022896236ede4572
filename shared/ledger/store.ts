import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Caller } from './caller.ts';
import { Grant } from './grant.ts';
import { Heads } from './heads.ts';
import { grantKey } from './keys.ts';
import { Ledger } from './ledger.ts';
import type { Outside } from './outside.ts';
import { Table } from './table.ts';

/** The table that holds every organization's ledger. */
export interface Store {
  /** The ledger of the caller's organization. */
  readonly ledgerOf: (caller: Caller) => Ledger;
  /** What the token with this hash grants, or undefined. One round trip. */
  readonly grantOf: (
    tokenHash: string,
    limits: Pick<Caller, 'deadline' | 'meter'>,
  ) => Promise<Grant | undefined>;
}

/** Opens the table; makes no call. */
export function openStore(client: DynamoDBClient, tableName: string, outside: Outside): Store {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const heads = new Heads();
  return {
    ledgerOf: (caller) =>
      new Ledger(new Table(documents, tableName, outside, caller), heads, outside, caller),
    grantOf: async (tokenHash, limits) => {
      const item = await new Table(documents, tableName, outside, limits).get(grantKey(tokenHash));
      return item && v.parse(Grant, item);
    },
  };
}
