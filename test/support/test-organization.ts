import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import type { Finding } from '../../infra/admin/verify/finding.ts';
import type { TableAccess } from '../../infra/admin/table/table-reads.ts';
import { verifyOrganization } from './verify-organization.ts';
import { clientOf } from '../../infra/local/engine.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import type { StartSet } from '../../shared/domain/organizations/start-set.ts';
import { ApiClient } from './api-client.ts';
import { atFileEnd } from './vitest/at-file-end.ts';
import {
  clientAt,
  foundOrganizationAt,
  storeAt,
  type StoredOrganization,
  type TableAddress,
} from './stored-organization.ts';
import { verifyAndRemove } from './verify-and-remove.ts';

export { limits } from './stored-organization.ts';

/** An organization of one test. */
export interface TestOrganization extends StoredOrganization {
  api: ApiClient;
  /** Makes a client with a token that has these scopes alone. */
  apiFor(...scopes: Scope[]): Promise<ApiClient>;
}

export interface TwoOrganizations {
  ours: TestOrganization;
  /** A second organization, which must see nothing of the first. */
  theirs: TestOrganization;
  /** A client without a token. */
  anonymous: ApiClient;
}

/** Engine of the local machine; undefined in tests of a deployed stack. */
export const engine = { endpoint: inject('engineEndpoint') };
/** Table of the machine, or another table of its engine, or the table of the deployed stack. */
export const tableAt = (tableName = inject('tableName')): TableAddress => ({
  ...(inject('deployed') === undefined && engine),
  tableName,
});
/** Opens the table with empty caches. */
export const newStore = (system: Partial<System> = {}, tableName?: string) =>
  storeAt(tableAt(tableName), system);

/** Creates a table for one test file, with the keys and indexes of the shared table. */
export async function newPlainTable(): Promise<string> {
  const client = clientOf(engine);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: inject('tableName') }));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table!;
  const TableName = `Plain-${randomUUID()}`;
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  const shape = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes: indexes };
  await client.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...shape }));
  // The engine may keep its data.
  atFileEnd(async () => {
    const client = clientOf(engine);
    await client.send(new DeleteTableCommand({ TableName }));
    client.destroy();
  });
  return TableName;
}

/** Founds an organization in the shared table. After the tests of the file, it must pass verification. */
export async function verifiedOrganization(country?: string): Promise<TestOrganization> {
  const organization = await newOrganization({ country });
  verifyAtFileEnd(organization.code);
  return organization;
}

/** Founds two organizations as `verifiedOrganization` does. */
export const twoOrganizations = async (): Promise<TwoOrganizations> => ({
  ours: await verifiedOrganization(),
  theirs: await verifiedOrganization('NZ'),
  anonymous: clientFor(),
});

/** Organizations of the current file that must pass verification. */
const inUse = new Set<OrganizationCode>();

function verifyAtFileEnd(code: OrganizationCode): void {
  if (inUse.size === 0) atFileEnd(verifyAll);
  inUse.add(code);
}

async function verifyAll(): Promise<void> {
  const codes = [...inUse];
  inUse.clear();
  const client = clientAt(tableAt());
  const access = { client, tableName: inject('tableName'), system: realSystem };
  const removes = inject('deployed')?.removes ?? false;
  const wrong = await verifyEach(access, codes, removes);
  client.destroy();
  expect(wrong).toEqual({ findings: [], errors: [] });
}

/**
 * Verifies organizations, and removes them if asked. A failure with one does not keep the others from their
 * turn.
 */
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

/** Founds an organization in the shared table or another one. Its client works in the shared table alone. */
export async function newOrganization({
  country = 'AU',
  tableName,
  startSet,
}: {
  country?: string | undefined;
  tableName?: string;
  startSet?: StartSet;
} = {}): Promise<TestOrganization> {
  const deployed = inject('deployed');
  const name = deployed?.organizationName;
  const stored = await foundOrganizationAt(tableAt(tableName), { country, name, startSet });
  // A deployed table must keep nothing of the tests.
  if (deployed) verifyAtFileEnd(stored.code);
  return {
    ...stored,
    api: clientFor(stored.token),
    apiFor: async (...scopes) => clientFor(await stored.issueToken({ scopes }), scopes),
  };
}
