import { DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject } from 'vitest';
import { verifyOrganization } from '../../infra/admin/verify/verify-organization.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import { ApiClient } from './api-client.ts';
import { createPlainTable } from './plain-table.ts';
import { foundOrganizationAt, storeAt, type StoredOrganization, type TableAddress } from './organizations.ts';

export { limits } from './organizations.ts';

/** An organization of a test's own. */
export interface TestOrganization extends StoredOrganization {
  api: ApiClient;
}

export interface World {
  ours: TestOrganization;
  /** A second organization, which must see nothing of the first. */
  theirs: TestOrganization;
  /** A client without a token. */
  anonymous: ApiClient;
}

export const engine = { endpoint: inject('engineEndpoint') };
/** The table that the machine runs on, or another of the same engine. */
export const tableAt = (tableName = inject('tableName')): TableAddress => ({ ...engine, tableName });
/** The same, opened; nothing of it remembered. */
export const newStore = (system: Partial<System> = {}, tableName?: string) =>
  storeAt(tableAt(tableName), system);

/** A table of the test file's own without a stream, which makes loading it several times faster. */
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

/** Two fresh organizations on the machine that all tests share. When the tests of the file are done, both must be whole. */
export async function setup(): Promise<World> {
  const [ours, theirs] = [await newOrganization('AU'), await newOrganization('NZ')];
  inUse.push(ours, theirs);
  return { ours, theirs, anonymous: clientFor() };
}

const inUse: TestOrganization[] = [];
afterAll(async () => {
  if (inUse.length === 0) return;
  const client = clientOf(engine);
  const access = { client, tableName: inject('tableName'), system: realSystem };
  for (const { code } of inUse) expect((await verifyOrganization(access, code)).findings).toEqual([]);
  client.destroy();
});

export const clientFor = (token?: string) => new ApiClient(inject('baseUrl'), token);

/** A fresh organization, in the machine's table or another; only in the machine's does its client find anything. */
export async function newOrganization(country = 'AU', tableName?: string): Promise<TestOrganization> {
  const stored = await foundOrganizationAt(tableAt(tableName), country);
  return { ...stored, api: clientFor(stored.token) };
}
