import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import { clientOf } from '../../infra/local/engine.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import { createOrganization } from '../../shared/domain/organizations/organizations.ts';
import { addToken } from '../../shared/domain/tokens/tokens.ts';
import {
  clientConfig,
  type ConsumedCapacity,
  type Ledger,
  newConsumedCapacity,
  openStore,
  type Store,
} from '../../shared/ledger/index.ts';

/** A table, and the engine that has it: without one, it is in the AWS account and region that the environment names. */
export interface TableAddress {
  endpoint?: string;
  tableName: string;
}

/** A client for where a table is. */
export const clientAt = ({ endpoint }: Pick<TableAddress, 'endpoint'>): DynamoDBClient =>
  endpoint === undefined ? (awsClient ??= new DynamoDBClient(clientConfig)) : clientOf({ endpoint });

/** One for all, since looking for credentials takes time. */
let awsClient: DynamoDBClient | undefined;

/** An organization in some table. */
export interface StoredOrganization {
  code: OrganizationCode;
  userId: string;
  token: string;
  /** Its ledger, past HTTP: with no head remembered, and a meter of its own. */
  openLedger(changes?: { system?: Partial<System>; store?: Store; milliseconds?: number }): {
    ledger: Ledger;
    capacity: ConsumedCapacity;
  };
  /** Another token of the organization. */
  issueToken(changes: { scopes?: Scope[]; sites?: string[]; expiresAt?: string }): Promise<string>;
}

/** A deadline so many milliseconds from now, and a new meter. */
export const limits = (milliseconds = 60_000) => ({
  deadline: Date.now() + milliseconds,
  capacity: newConsumedCapacity(),
});

/** The table opened anew: nothing of it remembered. */
export const storeAt = (table: TableAddress, system: Partial<System> = {}) =>
  openStore(clientAt(table), table.tableName, { ...realSystem, ...system });

/** A fresh organization in a table. */
export const foundOrganizationAt = (table: TableAddress, country?: string, name?: string) =>
  foundOrganizationBy({ open: (system) => storeAt(table, system), limits }, country, name);

/** A fresh organization in whatever table a store is opened of. */
export async function foundOrganizationBy(
  by: { open: (system?: Partial<System>) => Store; limits: typeof limits },
  country = 'AU',
  name = 'Test',
): Promise<StoredOrganization> {
  const { code, ownerId, token } = await createOrganization(
    by.open(),
    by.limits(),
    {
      name,
      country,
      owner: { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' },
      token: { name: 'Test', mode: 'test', scopes: ['read', 'write'] },
    },
    { random: Math.random, randomBytes },
  );
  const openLedger: StoredOrganization['openLedger'] = ({
    system = {},
    store = by.open(system),
    milliseconds,
  } = {}) => {
    const caller = { organization: code, userId: ownerId, ...by.limits(milliseconds) };
    return { ledger: store.ledgerOf(caller), capacity: caller.capacity };
  };
  return {
    code,
    userId: ownerId,
    token,
    openLedger,
    issueToken: ({ scopes = ['read', 'write'], sites = [], expiresAt }) =>
      openLedger().ledger.write({}, (write) => {
        const input = {
          name: 'Another',
          mode: 'live',
          scopes,
          sites,
          userId: ownerId,
          ...(expiresAt && { expiry: { at: Date.parse(expiresAt) } }),
        } as const;
        return addToken(write, input, randomBytes).token;
      }),
  };
}
