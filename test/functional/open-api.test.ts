import { beforeAll, expect, test } from 'vitest';
import { findContracts, type Contracts } from '../../infra/endpoints.ts';
import { openApiDocument } from '../../infra/open-api.ts';
import { getOpenApi } from '../../shared/endpoints/open-api.ts';
import { clientFor } from '../support/world.ts';

interface Operation {
  operationId: string;
  responses: Record<string, { $ref?: string }>;
  'x-extension'?: true;
}

let contracts: Contracts;
let document: { paths: Record<string, Record<string, Operation>>; components: Record<string, object> };
beforeAll(async () => {
  contracts = await findContracts();
  document = (await clientFor().call(getOpenApi)) as unknown as typeof document;
});

test('what is served is what the contracts say, at no cost', async () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(contracts))));
  expect(document).toMatchObject({ openapi: '3.1.0' });
  const { cost } = await clientFor().answer(getOpenApi);
  expect(cost).toEqual({ calls: 0, readUnits: 0, writeUnits: 0 });
});

test('every endpoint is in it, with its errors; what the specification lacks is marked', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  expect(operations.map(({ route }) => route).sort()).toEqual(
    contracts.operations.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`).sort(),
  );
  const extensions = operations.filter(({ operation }) => operation['x-extension']);
  expect(extensions.map(({ route }) => route)).toEqual(['GET /v1/leads/{leadId}']);
  for (const { operation } of operations) {
    const statuses = Object.keys(operation.responses);
    expect(statuses).toContain('500');
    expect(statuses.includes('401')).toBe(operation.operationId !== 'getOpenApi');
  }
});

test('every reference in it leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
  expect(references.length).toBeGreaterThan(20);
  for (const path of new Set(references)) {
    const target = path
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(target, path).toBeTypeOf('object');
  }
});

test('a body names its read-only fields, and refuses what it does not know', () => {
  const newLead = (
    document.components as { schemas: Record<string, { properties: object; additionalProperties: boolean }> }
  ).schemas['NewLead']!;
  expect(newLead.additionalProperties).toBe(false);
  expect(newLead.properties).toMatchObject({ id: { readOnly: true }, createdAt: { readOnly: true } });
});
