import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findContracts, type Contracts } from '../../infra/functions.ts';
import { getOpenApiEndpoint } from '../../shared/contract/open-api.ts';
import {
  everyCall,
  keyedPaths,
  variantsExpected,
  type ClientCall,
  type Description,
} from '../support/client-calls.ts';
import { keyForAll } from '../support/forms.ts';
import { fill } from '../support/records.ts';
import {
  compileStrictly,
  heyApi,
  openapiFetch,
  runProgram,
  writeClient,
  type ClientAnswer,
} from '../support/typescript-clients.ts';
import { clientFor, newOrganization } from '../support/world.ts';

const clients = [
  ['openapi-typescript with openapi-fetch', openapiFetch],
  ['@hey-api/openapi-ts', heyApi],
] as const;

/** The calls of a generated client in an organization of its own. */
interface Run {
  folder: string;
  calls: ClientCall[];
  answers: Promise<ClientAnswer[]>;
}

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
const runs = new Map<string, Run>();
let contracts: Contracts;
beforeAll(async () => {
  contracts = await findContracts();
  const description = (await clientFor().call(getOpenApiEndpoint)) as unknown as Description & object;
  for (const [at, [name, client]] of clients.entries()) {
    const organization = await newOrganization();
    const key = await keyForAll(organization);
    const tokens = { token: organization.token, key, keyedPaths: keyedPaths(description) };
    const calls = everyCall(description, await fill(organization));
    const own = join(folder, String(at));
    await writeClient(client, own, description, { baseUrl: inject('baseUrl'), tokens, calls });
    // Runs while the compiler works. The tests that await it report a failure.
    const answers = runProgram(own);
    answers.catch(() => undefined);
    runs.set(name, { folder: own, calls, answers });
  }
});
afterAll(async () => {
  await Promise.allSettled([...runs.values()].map(({ answers }) => answers));
  rmSync(folder, { recursive: true, force: true });
});

describe.each(clients)('a client of %s', (name, client) => {
  test('compiles strictly, and so do calls of every operation', () => {
    expect(compileStrictly(client, runs.get(name)!.folder)).toEqual([]);
  });

  test('calls every operation, and gets its success', async () => {
    const { calls, answers } = runs.get(name)!;
    const answered = await answers;
    const called = new Set(answered.map(({ operationId }) => operationId));
    expect([...called].sort()).toEqual(contracts.operations.map(({ operationId }) => operationId).sort());
    for (const [at, { operationId, status, body }] of answered.entries()) {
      expect({ operationId, status }).toEqual({ operationId, status: calls[at]!.status });
      const { endpoint } = contracts.operations.find((operation) => operation.operationId === operationId)!;
      const [, schema] = Object.entries(endpoint.responses).find(([name]) => Number(name) === status)!;
      expect(v.safeParse(schema, body), operationId).toMatchObject({ success: true });
    }
  });

  test('tells the five sources of an inquiry apart, and a success of a batch from a failure', async () => {
    const answered = await runs.get(name)!.answers;
    expect(answered.flatMap(({ variants }) => variants)).toEqual(variantsExpected);
  });
});
