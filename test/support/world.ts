import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { clientOf } from '../../infra/local/engine.ts';
import type { Outside } from '../../shared/ledger/outside.ts';
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
export const newStore = (outside: Partial<Outside> = {}, tableName?: string) =>
  storeAt(tableAt(tableName), outside);

/** A table of a test's own without a stream, which makes loading it several times faster. */
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
  return TableName;
}

/** Two fresh organizations on the machine that all tests share. */
export async function setup(): Promise<World> {
  return { ours: await newOrganization('AU'), theirs: await newOrganization('NZ'), anonymous: clientFor() };
}

export const clientFor = (token?: string) => new ApiClient(inject('baseUrl'), token);

/** A fresh organization, in the machine's table or another; only in the machine's does its client find anything. */
export async function newOrganization(country = 'AU', tableName?: string): Promise<TestOrganization> {
  const stored = await foundOrganizationAt(tableAt(tableName), country);
  return { ...stored, api: clientFor(stored.token) };
}
