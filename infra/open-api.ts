import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { errorStatuses, pathParameters, type Endpoint } from '../shared/endpoints/endpoint.ts';
import { failures, type FailureStatus } from '../shared/endpoints/errors.ts';
import { isSchema, pascal, type Contracts, type Operation } from './endpoints.ts';

type Json = Record<string, unknown>;

/** What JSON Schema cannot say, and the contract's own description does. */
const ignoreActions = ['check', 'partial_check', 'trim'];

/**
 * The OpenAPI 3.1 description of every endpoint, made of the contracts alone. What the specification does not name is
 * marked `x-extension`.
 */
export function openApiDocument(contracts: Contracts): { openapi: string } & Json {
  const operations = contracts.operations.toSorted((a, b) => (a.endpoint.path < b.endpoint.path ? -1 : 1));
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const { path, method } = operation.endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, contracts) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sales Pipeline Service',
      version: '1.0.0',
      description:
        'Leads, and what becomes of them. Every request acts for the organization that its token was issued to. ' +
        'Lists are ordered newest first. Unknown query parameters are ignored; unknown body fields are refused.',
    },
    // Relative to this document, whatever the stage in its address.
    servers: [{ url: '.' }],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: describeSchemas(contracts),
      headers: {
        RequestId: { description: 'Names this request in the logs', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds after which to try again', schema: { type: 'integer' } },
      },
      responses: Object.fromEntries(
        Object.values(failures).map(({ status, message }): [string, Json] => [
          responseName(status),
          describeError(status, message),
        ]),
      ),
    },
  };
}

function describe({ operationId, endpoint, entry }: Operation, contracts: Contracts): Json {
  const { summary, description, scope, body, extension } = endpoint;
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tagOf({ entry })],
    ...(scope === 'public' && { security: [] }),
    ...(extension && { 'x-extension': true }),
    parameters: describeParameters(endpoint),
    ...(body && {
      requestBody: { required: true, content: json(reference(body, contracts)) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.keys(endpoint.responses).map((status) => [status, describeSuccess(operationId, status)]),
      ),
      ...Object.fromEntries(
        errorStatuses(endpoint).map((status) => [
          status,
          { $ref: `#/components/responses/${responseName(status)}` },
        ]),
      ),
    },
  };
}

function describeParameters({ path, params, query }: Endpoint): Json[] {
  const inPath = pathParameters(path).map((name) => parameter('path', name, params[name]));
  const inQuery = Object.entries(query?.entries ?? {}).map(([name, schema]) =>
    parameter('query', name, schema),
  );
  return [...inPath, ...inQuery];
}

function parameter(place: 'path' | 'query', name: string, schema: unknown): Json {
  if (!isSchema(schema)) throw new Error(`The ${place} parameter ${name} has no schema`);
  const { $schema, description, ...rest } = toJsonSchema(schema, { typeMode: 'output', ignoreActions });
  return { name, in: place, required: place === 'path', ...(description && { description }), schema: rest };
}

function describeSuccess(operationId: string, status: string): Json {
  return {
    description: status === '201' ? 'Created' : 'OK',
    headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
    content: json(toComponent(responseSchemaName(operationId))),
  };
}

function describeError(status: FailureStatus, description: string): Json {
  const mayRetry = status === failures.throttled.status || status === failures.unavailable.status;
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(mayRetry && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: json(toComponent('ErrorEnvelope')),
  };
}

/**
 * Every schema that a body or an answer uses, each under its name. A body may hold nothing else, since a misspelt field
 * is lost data; an answer may one day hold more.
 */
function describeSchemas({ operations, schemas }: Contracts): Json {
  const bodies = new Map<unknown, readonly string[]>(
    operations.map(({ endpoint }) => [endpoint.body, endpoint.readOnly ?? []]),
  );
  const queries = new Set<unknown>(operations.map(({ endpoint }) => endpoint.query));
  const named = Object.fromEntries(
    Object.entries(schemas).filter(([name, schema]) => /^[A-Z]/.test(name) && !queries.has(schema)),
  );
  for (const { operationId, endpoint } of operations) {
    for (const schema of Object.values(endpoint.responses)) named[responseSchemaName(operationId)] = schema;
  }
  const described = toJsonSchemaDefs(named, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions,
    overrideRef: ({ referenceId }) => toComponent(referenceId).$ref,
  });
  for (const [name, schema] of Object.entries(described)) {
    const readOnly = bodies.get(named[name]);
    if (readOnly) for (const field of readOnly) (schema.properties ??= {})[field] = { readOnly: true };
    else loosen(schema);
  }
  return described;
}

function loosen(schema: object): void {
  if ('additionalProperties' in schema && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  for (const part of Object.values(schema)) if (isObject(part)) loosen(part);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function reference(schema: GenericSchema, { schemas }: Contracts): { $ref: string } {
  const name = Object.keys(schemas).find((key) => schemas[key] === schema);
  if (name === undefined)
    throw new Error('A body schema is not exported from shared/endpoints, so it has no name');
  return toComponent(name);
}

const toComponent = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: { $ref: string }) => ({ 'application/json': { schema } });
const responseSchemaName = (operationId: string) => `${pascal(operationId)}Response`;

/** A status's name among the named responses: that of `Bad request` is `BadRequest`. */
function responseName(status: FailureStatus): string {
  const { message } =
    Object.values(failures).find((failure) => failure.status === status) ?? failures.internal;
  return message.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The folder of the function: `functions/leads/list-leads.ts` is about `leads`. */
const tagOf = ({ entry }: Pick<Operation, 'entry'>) => entry.split('/')[1] ?? entry;
