import { createConfig, lintFromString } from '@redocly/openapi-core';
import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { findContracts, type Contracts } from '../../infra/endpoints.ts';
import { openApiDocument } from '../../infra/open-api.ts';
import { errorStatuses, pathParameters } from '../../shared/endpoints/endpoint.ts';
import { getOpenApi } from '../../shared/endpoints/open-api.ts';
import { clientFor } from '../support/world.ts';

interface Content {
  content: { 'application/json': { example?: unknown } };
}

interface Operation {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, { $ref?: string } & Partial<Content>>;
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

test('every endpoint is in it, with its errors', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  expect(operations.map(({ route }) => route).sort()).toEqual(
    contracts.operations.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`).sort(),
  );
  for (const { route, operation } of operations) {
    const { endpoint } = contracts.operations.find(
      ({ operationId }) => operationId === operation.operationId,
    )!;
    const errors = Object.entries(operation.responses).filter(([status]) => status >= '400');
    expect(
      errors.map(([status]) => Number(status)),
      route,
    ).toEqual(errorStatuses(endpoint));
    for (const [, { $ref }] of errors) expect($ref, route).toMatch(/^#\/components\/responses\//);
  }
});

test("a linter's recommended rules find nothing in it", async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  // It does look: without what it asks for, it says so.
  const lacking = JSON.stringify({ ...document, tags: [{ name: 'leads' }] });
  expect((await lintFromString({ source: lacking, config })).length).toBeGreaterThan(0);
});

describe('its examples', () => {
  test('are there for every operation: parameters, body, answer, and every error', () => {
    const contents = JSON.stringify(document.components['responses']).match(/"application\/json"/g)!;
    const examples = JSON.stringify(document.components['responses']).match(/"example"/g)!;
    expect(examples.length).toBe(contents.length);
    for (const { endpoint } of contracts.operations) {
      const { path, method, query, body, example } = endpoint;
      expect(Object.keys(example.params ?? {}), path).toEqual(pathParameters(path));
      expect(Boolean(example.query), path).toBe(Boolean(query));
      expect(Boolean(example.body), path).toBe(Boolean(body));
      const { requestBody, responses } = document.paths[path]![method.toLowerCase()]!;
      expect(requestBody?.content['application/json'].example).toEqual(example.body);
      const [status] = Object.keys(endpoint.responses);
      expect(responses[status!]!.content!['application/json'].example).toEqual(example.response);
    }
  });

  test('fit the schemas that requests and answers are checked against', () => {
    for (const { operationId, endpoint } of contracts.operations) {
      const { params, query, body, responses, example } = endpoint;
      for (const [name, schema] of Object.entries(params)) v.parse(schema, example.params?.[name]);
      if (query) v.parse(query, example.query);
      if (body) v.parse(body, example.body);
      for (const schema of Object.values(responses)) {
        expect(v.safeParse(schema, example.response), operationId).toMatchObject({ success: true });
      }
    }
  });
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
