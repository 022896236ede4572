import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import { clientOf } from '../../infra/local/engine.ts';
import type { MemberRole } from '../../shared/contract/roles.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import { createOrganization } from '../../shared/domain/organizations/found-organization.ts';
import type { StartSet } from '../../shared/domain/organizations/start-set.ts';
import { addToken, ownersScopes } from '../../shared/domain/tokens/tokens.ts';
import {
  clientConfig,
  type ConsumedCapacity,
  type Ledger,
  newConsumedCapacity,
  openStore,
  type Reach,
  type Store,
} from '../../shared/ledger/index.ts';
import { patience } from './patience.ts';

/**
 * A table, and the engine that has it. Without an engine, the table is in the AWS account and region of the
 * environment.
 */
export interface TableAddress {
  endpoint?: string;
  tableName: string;
}

/** Opens a client of a table's engine or of AWS. */
export const clientAt = ({ endpoint }: Pick<TableAddress, 'endpoint'>): DynamoDBClient =>
  endpoint === undefined ? (awsClient ??= new DynamoDBClient(clientConfig)) : clientOf({ endpoint });

/** Client of AWS, shared because a search for credentials takes time. */
let awsClient: DynamoDBClient | undefined;

/** An organization in a table. */
export interface StoredOrganization {
  code: OrganizationCode;
  userId: string;
  token: string;
  /**
   * Opens its ledger without HTTP: with no head in the cache, and with a separate count of consumed capacity.
   */
  openLedger(changes?: { system?: Partial<System>; store?: Store; milliseconds?: number; reach?: Reach }): {
    ledger: Ledger;
    capacity: ConsumedCapacity;
  };
  /** Issues another token of the organization, for the owner or for a user with another role. */
  issueToken(changes: {
    userId?: string;
    role?: MemberRole;
    scopes?: readonly Scope[];
    sites?: readonly string[];
    signingSecret?: string;
    expiresAt?: string;
  }): Promise<string>;
}

/** Makes a deadline this many milliseconds from now, by the clock of the ledger, and a new count of consumed capacity. */
export const limits = (milliseconds = patience, now = Date.now()) => ({
  deadline: now + milliseconds,
  capacity: newConsumedCapacity(),
});

/** Opens the table with empty caches. */
export const storeAt = (table: TableAddress, system: Partial<System> = {}) =>
  openStore(clientAt(table), table.tableName, { ...realSystem, ...system });

interface FoundingSettings {
  country?: string;
  name?: string | undefined;
  startSet?: StartSet | undefined;
}

/** Founds an organization in a table. */
export const foundOrganizationAt = (table: TableAddress, settings?: FoundingSettings) =>
  foundOrganizationBy({ open: (system) => storeAt(table, system), limits }, settings);

/** Founds an organization in any table that a store can be opened of. */
export async function foundOrganizationBy(
  by: { open: (system?: Partial<System>) => Store; limits: typeof limits },
  { country = 'AU', name = 'Test', startSet }: FoundingSettings = {},
): Promise<StoredOrganization> {
  const { code, ownerId, token } = await createOrganization(
    by.open(),
    by.limits(),
    {
      name,
      country,
      startSet,
      owner: { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' },
      token: { name: 'Test', mode: 'test', scopes: ownersScopes },
    },
    { random: Math.random, randomBytes },
  );
  const openLedger: StoredOrganization['openLedger'] = ({
    system = {},
    store = by.open(system),
    milliseconds,
    reach,
  } = {}) => {
    const sent = { tokenId: 1, requestId: '5c0f3d0e-6f0c-4b9e-8a51-2f6d6f0b7c11' };
    const limits = by.limits(milliseconds, system.now?.());
    const principal = { organization: code, userId: ownerId, ...sent, ...limits, ...(reach && { reach }) };
    return { ledger: store.ledgerOf(principal), capacity: principal.capacity };
  };
  return {
    code,
    userId: ownerId,
    token,
    openLedger,
    issueToken: ({
      userId = ownerId,
      role = 'OWNER',
      scopes = ['read', 'write'],
      sites = [],
      signingSecret,
      expiresAt,
    }) =>
      openLedger().ledger.write({}, (write) => {
        const input = {
          name: 'Another',
          mode: 'live',
          scopes,
          sites,
          signingSecret,
          userId,
          role,
          ...(expiresAt && { expiry: { at: Date.parse(expiresAt) } }),
        } as const;
        return addToken(write, input, randomBytes).token;
      }),
  };
}
