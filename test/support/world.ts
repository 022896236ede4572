import { DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject } from 'vitest';
import type { Finding } from '../../infra/admin/verify/finding.ts';
import type { TableAccess } from '../../infra/admin/verify/table-reads.ts';
import { verifyOrganization } from '../../infra/admin/verify/verify-organization.ts';
import { clientOf } from '../../infra/local/engine.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import { ApiClient } from './api-client.ts';
import { createPlainTable } from './plain-table.ts';
import {
  clientAt,
  foundOrganizationAt,
  storeAt,
  type StoredOrganization,
  type TableAddress,
} from './organizations.ts';
import { verifyAndRemove } from './read-keys.ts';

export { limits } from './organizations.ts';

/** An organization of a test's own. */
export interface TestOrganization extends StoredOrganization {
  api: ApiClient;
  /** A client whose token may do just that. */
  apiFor(...scopes: Scope[]): Promise<ApiClient>;
}

export interface World {
  ours: TestOrganization;
  /** A second organization, which must see nothing of the first. */
  theirs: TestOrganization;
  /** A client without a token. */
  anonymous: ApiClient;
}

/** The local machine's engine: there is none where a deployed stack is tested. */
export const engine = { endpoint: inject('engineEndpoint') };
/** The table that the machine runs on, or another of the same engine; or that of the deployed stack. */
export const tableAt = (tableName = inject('tableName')): TableAddress => ({
  ...(inject('deployed') === undefined && engine),
  tableName,
});
/** The same, opened; nothing of it remembered. */
export const newStore = (system: Partial<System> = {}, tableName?: string) =>
  storeAt(tableAt(tableName), system);

/** A table of the test file's own, with the keys and indexes of the one that all tests share. */
export async function newPlainTable(): Promise<string> {
  const client = clientOf(engine);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: inject('tableName') }));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table!;
  const TableName = `Plain-${randomUUID()}`;
  await createPlainTable(client, TableName, {
    KeySchema,
    AttributeDefinitions,
    GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
  });
  plainTables.push(TableName);
  return TableName;
}

// The database may be one that is kept.
const plainTables: string[] = [];
afterAll(async () => {
  if (plainTables.length === 0) return;
  const client = clientOf(engine);
  for (const TableName of plainTables) await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
});

/** Two fresh organizations in the table that all tests share. When the tests of the file are done, both must be whole. */
export async function setup(): Promise<World> {
  const [ours, theirs] = [await newOrganization('AU'), await newOrganization('NZ')];
  inUse.add(ours.code).add(theirs.code);
  return { ours, theirs, anonymous: clientFor() };
}

const inUse = new Set<OrganizationCode>();
afterAll(async () => {
  if (inUse.size === 0) return;
  const client = clientAt(tableAt());
  const access = { client, tableName: inject('tableName'), system: realSystem };
  const removes = inject('deployed')?.removes ?? false;
  const wrong = await verifyEach(access, inUse, removes);
  client.destroy();
  expect(wrong).toEqual({ findings: [], errors: [] });
});

/** Verifies organizations, and removes them if asked. Where that fails with one, the others still have their turn. */
export async function verifyEach(
  access: TableAccess,
  codes: Iterable<OrganizationCode>,
  removes: boolean,
): Promise<{ findings: Finding[]; errors: unknown[] }> {
  const findings: Finding[] = [];
  const errors: unknown[] = [];
  for (const code of codes) {
    try {
      const found = removes
        ? await verifyAndRemove(access, code)
        : (await verifyOrganization(access, code)).findings;
      findings.push(...found);
    } catch (error) {
      errors.push(error instanceof Error ? error.stack : error);
    }
  }
  return { findings, errors };
}

export const clientFor = (token?: string, scopes?: Scope[]) =>
  new ApiClient(inject('baseUrl'), token, scopes);

/** A fresh organization, in the table that all tests share or another; only in the former does its client find anything. */
export async function newOrganization(country = 'AU', tableName?: string): Promise<TestOrganization> {
  const deployed = inject('deployed');
  const stored = await foundOrganizationAt(tableAt(tableName), country, deployed?.organizationName);
  // Nothing is left behind in a deployed table.
  if (deployed) inUse.add(stored.code);
  return {
    ...stored,
    api: clientFor(stored.token),
    apiFor: async (...scopes) => clientFor(await stored.issueToken({ scopes }), scopes),
  };
}
