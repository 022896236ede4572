import * as v from 'valibot';
import { request, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';
import { errorStatuses, pathParameters } from '../../shared/contract/endpoint.ts';
import { clientFor, newOrganization } from '../support/test-organization.ts';

interface Content {
  content: { 'application/json': { example?: unknown } };
}

interface Operation {
  operationId: string;
  parameters: { in: string; name: string; required: boolean; example?: unknown }[];
  requestBody?: Content;
  responses: Record<string, { $ref?: string } & Partial<Content>>;
  'x-extension'?: true;
}

interface Schema {
  properties?: Record<string, object>;
  additionalProperties?: boolean;
}

const schemas = () => document.components['schemas'];
const contracts = await findContracts();
const document = (await clientFor().call('getOpenApi')) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, object>;
};

/**
 * Requests the description with headers that `fetch` sets itself, such as Host. Does not decompress the
 * answer.
 */
async function send(headers: Record<string, string> = {}) {
  const url = `${inject('baseUrl')}/openapi`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    (url.startsWith('https:') ? secureRequest : request)(url, { headers }, resolve).on('error', reject).end();
  });
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

test('the served description is that of the contracts, at no cost', async () => {
  const said = JSON.parse(JSON.stringify(openApiDocument(contracts))) as object;
  expect(document).toEqual({ ...said, servers: [{ url: inject('baseUrl') }] });
  expect(document).toMatchObject({ openapi: '3.1.0' });
  const { cost } = await clientFor().answer('getOpenApi');
  expect(cost).toEqual({ calls: 0, readUnits: 0, writeUnits: 0 });
});

describe('a description that a client has cached', () => {
  test('has the same bytes and the same tag in each answer', async () => {
    const [one, other] = [await send(), await send()];
    expect(one.headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' });
    expect(other.text).toBe(one.text);
    expect(other.headers['etag']).toBe(one.headers['etag']);
  });

  test.each(['identity', 'gzip'])('is not sent again to one that asks for %s', async (coding) => {
    const { headers } = await send({ 'Accept-Encoding': coding });
    // The tag is weak, because it is the same for both encodings.
    const tag = headers['etag']!;
    expect(tag).toMatch(/^W\/"/);
    const answer = await send({ 'Accept-Encoding': coding, 'If-None-Match': `"other", ${tag}` });
    expect(answer).toMatchObject({
      status: 304,
      text: '',
      headers: { etag: tag, 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' },
    });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    for (const name of ['content-encoding', 'content-length', 'content-type']) {
      // API Gateway may add a Content-Type, though the answer has no body.
      if (inject('deployed') === undefined) expect(answer.headers).not.toHaveProperty(name);
    }
    const { status } = await clientFor().attempt('getOpenApi', { headers: { 'If-None-Match': tag } });
    expect(status).toBe(304);
    expect(await send({ 'Accept-Encoding': coding, 'If-None-Match': '"other"' })).toMatchObject({
      status: 200,
    });
  });

  test('has 304 answers for the operations that give one, and for no others', () => {
    const answering = contracts.operations.filter(({ endpoint: { method, path, cache, record } }) => {
      const { responses } = document.paths[path]![method.toLowerCase()]!;
      const isKept = cache !== undefined || (method === 'GET' && record !== undefined);
      expect('304' in responses, `${method} ${path}`).toBe(isKept);
      if (!isKept) return false;
      const headers = { ETag: {}, ...(cache && { 'Cache-Control': {} }), 'X-Request-Id': {} };
      expect(responses, `${method} ${path}`).toMatchObject({ 200: { headers }, 304: { headers } });
      expect(responses['304']).not.toHaveProperty('content');
      return true;
    });
    expect(answering.length).toBeGreaterThan(4);
  });
});

test('scripts of any website may read the description, and no other answer', async () => {
  const [api, { api: ofOrganization }] = [clientFor(), await newOrganization()];
  const headers = { Origin: 'https://elsewhere.example' };
  const { headers: first, status } = await api.attempt('getOpenApi', { headers });
  const known = { ...headers, 'If-None-Match': first.get('etag')! };
  const again = await api.attempt('getOpenApi', { headers: known });
  const readers = [first, again.headers].map((of) => of.get('access-control-allow-origin'));
  expect([status, again.status, readers]).toEqual([200, 304, ['*', '*']]);
  const leads = await ofOrganization.answer('listLeads', { headers });
  expect(leads.headers.get('access-control-allow-origin')).toBeNull();
});

test('the description has every endpoint, with its errors', () => {
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

describe('the examples of the description', () => {
  test('exist for every operation: parameters, body, answer, and every error, in each type of content', () => {
    const contents = contentsIn([document.paths, document.components['responses']]);
    expect(contents.length).toBeGreaterThan(150);
    for (const content of contents)
      for (const [type, part] of Object.entries(content)) expect(part, type).toHaveProperty('example');
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

  test('have each parameter without which a request is refused', () => {
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const required = all.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ required, ...rest }) => (required ? [{ operationId, ...rest }] : [])),
    );
    const inQuery = required.filter((each) => each.in === 'query').map((each) => each.name);
    expect(inQuery.toSorted()).toEqual(['as', 'match', 'serviceId']);
    for (const parameter of required) expect(parameter).toHaveProperty('example');
  });

  test('fit the schemas of requests and answers', () => {
    for (const { operationId, endpoint } of contracts.operations) {
      const { params, query, body, responses, example } = endpoint;
      for (const [name, { schema }] of Object.entries(params)) v.parse(schema, example.params?.[name]);
      if (query) v.parse(query, example.query);
      if (body) v.parse(body, example.body);
      for (const schema of Object.values(responses)) {
        expect(v.safeParse(schema, example.response), operationId).toMatchObject({ success: true });
      }
    }
  });
});

/** Every `content` within a part of the description. */
const contentsIn = (part: unknown): object[] =>
  typeof part !== 'object' || part === null
    ? []
    : Object.entries(part).flatMap(([key, inner]) =>
        key === 'example' ? [] : key === 'content' ? [inner as object] : contentsIn(inner),
      );

test("a body has its resource's read-only fields, and refuses unknown ones", () => {
  const { NewLead, Lead } = schemas() as Record<string, Schema>;
  expect(NewLead!.additionalProperties).toBe(false);
  expect(Lead).not.toHaveProperty('additionalProperties');
  for (const name of ['id', 'createdAt', 'lastInquiryDate', 'unreadCalls']) {
    expect(NewLead!.properties![name], name).toEqual({ ...Lead!.properties![name], readOnly: true });
  }
});

describe('the server of the description', () => {
  const serverFor = async (headers: Record<string, string>) => {
    const { servers } = JSON.parse((await send(headers)).text) as { servers?: { url: string }[] };
    return servers?.map(({ url }) => url);
  };

  test('is the address of the request', async () => {
    const { port } = new URL(inject('baseUrl'));
    expect(await serverFor({ Host: `localhost:${port}` })).toEqual([`http://localhost:${port}`]);
    expect(await serverFor({ Host: `127.0.0.1:${port}` })).toEqual([`http://127.0.0.1:${port}`]);
  });

  test('is absent if the request names another host', async () => {
    expect(await serverFor({ Host: 'evil.example' })).toBeUndefined();
  });

  test('is not taken from other headers', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'ftp' };
    expect(await serverFor({ Host: 'localhost', ...headers })).toEqual(['http://localhost']);
  });
});
