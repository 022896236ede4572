import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { randomBytes, randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { clientOf } from '../../infra/local/engine.ts';
import type { Scope } from '../../shared/endpoints/endpoint.ts';
import type { OrganizationCode } from '../../shared/ledger/ids.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import { newMeter, type Meter } from '../../shared/ledger/meter.ts';
import { realOutside, type Outside } from '../../shared/ledger/outside.ts';
import { openStore, type Store } from '../../shared/ledger/store.ts';
import { createOrganization } from '../../shared/organizations/organizations.ts';
import { addToken } from '../../shared/tokens/tokens.ts';
import { ApiClient } from './api-client.ts';

/** An organization of a test's own. */
export interface TestOrganization {
  code: OrganizationCode;
  userId: string;
  token: string;
  api: ApiClient;
  /** Its ledger, past HTTP: with no head remembered, and a meter of its own. */
  openLedger(changes?: { outside?: Partial<Outside>; store?: Store; milliseconds?: number }): {
    ledger: Ledger;
    meter: Meter;
  };
  /** Another token of the organization. */
  issueToken(changes: { scopes?: Scope[]; expiresAt?: string }): Promise<string>;
}

export interface World {
  ours: TestOrganization;
  /** A second organization, which must see nothing of the first. */
  theirs: TestOrganization;
  /** A client without a token. */
  anonymous: ApiClient;
}

export const engine = { endpoint: inject('engineEndpoint') };
/** The table that the machine runs on, or another of the same engine; nothing of it remembered. */
export const newStore = (outside: Partial<Outside> = {}, tableName = inject('tableName')) =>
  openStore(clientOf(engine), tableName, { ...realOutside, ...outside });

/** A table of a test's own without a stream, which makes loading it several times faster. */
export async function newPlainTable(): Promise<string> {
  const client = clientOf(engine);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: inject('tableName') }));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table!;
  const TableName = `Plain-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema,
      AttributeDefinitions,
      BillingMode: 'PAY_PER_REQUEST',
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
  );
  return TableName;
}

export const limits = (milliseconds = 60_000) => ({ deadline: Date.now() + milliseconds, meter: newMeter() });

/** Two fresh organizations on the machine that all tests share. */
export async function setup(): Promise<World> {
  return { ours: await newOrganization('AU'), theirs: await newOrganization('NZ'), anonymous: clientFor() };
}

export const clientFor = (token?: string) => new ApiClient(inject('baseUrl'), token);

/** A fresh organization, in the machine's table or another; only in the machine's does its client find anything. */
export async function newOrganization(country = 'AU', tableName?: string): Promise<TestOrganization> {
  const random = { random: Math.random, randomBytes };
  const founder = newStore({}, tableName);
  const { code, ownerId, token } = await createOrganization(
    founder,
    limits(),
    {
      name: 'Test',
      country,
      owner: { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' },
      token: { name: 'Test', mode: 'test', scopes: ['read', 'write'] },
    },
    random,
  );
  const openLedger: TestOrganization['openLedger'] = ({
    outside = {},
    store = newStore(outside, tableName),
    milliseconds,
  } = {}) => {
    const caller = { organization: code, userId: ownerId, ...limits(milliseconds) };
    return { ledger: store.ledgerOf(caller), meter: caller.meter };
  };
  return {
    code,
    userId: ownerId,
    token,
    api: clientFor(token),
    openLedger,
    issueToken: ({ scopes = ['read', 'write'], expiresAt }) =>
      openLedger().ledger.write({}, (write) => {
        const input = {
          name: 'Another',
          mode: 'live',
          scopes,
          userId: ownerId,
          ...(expiresAt && { expiry: { at: Date.parse(expiresAt) } }),
        } as const;
        return addToken(write, input, randomBytes).token;
      }),
  };
}
