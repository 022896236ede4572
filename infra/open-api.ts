import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { errorStatuses, pathParameters, type Endpoint } from '../shared/endpoints/endpoint.ts';
import { failures, sentences, type FailureStatus } from '../shared/endpoints/errors.ts';
import { isSchema, pascal, type Contracts, type Operation } from './endpoints.ts';

type Json = Record<string, unknown>;

/** What JSON Schema cannot say, and a description does. */
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
        'Lists are ordered newest first. Unknown query parameters are ignored; unknown body fields are refused. ' +
        'Names and other short texts are single lines, and white space around them is dropped; longer texts have no control ' +
        'characters but tabs and line breaks. Lengths are in UTF-16 code units, as in JavaScript. ' +
        'What is marked `x-extension` is not in the specification that this service follows.',
      license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
    },
    // Relative to this document, whatever the stage in its address.
    servers: [{ url: '.' }],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({
      name,
      description: contracts.subjects[name],
    })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: describeSchemas(contracts),
      headers: {
        RequestId: { description: 'Names this request in the logs', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds after which to try again', schema: { type: 'integer' } },
      },
      responses: describeErrors(operations),
    },
  };
}

function describe(operation: Operation, contracts: Contracts): Json {
  const { operationId, endpoint, entry } = operation;
  const { summary, description, scope, body, extension, example } = endpoint;
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tagOf({ entry })],
    ...(scope === 'public' && { security: [] }),
    ...(extension && { 'x-extension': true }),
    parameters: describeParameters(endpoint),
    ...(body && {
      requestBody: { required: true, content: json(reference(body, contracts), example.body) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(endpoint.responses).map(([status, schema]) => [
          status,
          describeSuccess(status, responseSchemaName(operation, schema, contracts), example.response),
        ]),
      ),
      ...Object.fromEntries(
        errorStatuses(endpoint).map((status) => [
          status,
          { $ref: `#/components/responses/${errorName(endpoint, status)}` },
        ]),
      ),
    },
  };
}

function describeParameters({ path, params, query, example }: Endpoint): Json[] {
  const inPath = pathParameters(path).map((name) =>
    parameter('path', name, params[name], example.params?.[name]),
  );
  const inQuery = Object.entries(query?.entries ?? {}).map(([name, schema]) =>
    parameter('query', name, schema, example.query?.[name]),
  );
  return [...inPath, ...inQuery];
}

function parameter(place: 'path' | 'query', name: string, schema: unknown, text: string | undefined): Json {
  if (!isSchema(schema)) throw new Error(`The ${place} parameter ${name} has no schema`);
  const { $schema, description, ...rest } = toJsonSchema(schema, { typeMode: 'output', ignoreActions });
  const example = text !== undefined && rest.type === 'integer' ? Number(text) : text;
  return {
    name,
    in: place,
    required: place === 'path',
    ...(description && { description }),
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

function describeSuccess(status: string, schemaName: string, example: unknown): Json {
  return {
    description: status === '201' ? 'Created' : 'OK',
    headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
    content: json(toComponent(schemaName), example),
  };
}

/** Every error answer that an operation refers to, by its name. */
function describeErrors(operations: Operation[]): Record<string, Json> {
  const described: Record<string, Json> = {};
  for (const { endpoint } of operations) {
    for (const status of errorStatuses(endpoint)) {
      described[errorName(endpoint, status)] ??= describeError(endpoint, status);
    }
  }
  return described;
}

function describeError(endpoint: Endpoint, status: FailureStatus): Json {
  const failure = failureOf(status);
  const mayRetry = status === failures.throttled.status || status === failures.unavailable.status;
  const sentence = exampleSentences[status] ?? failure.message;
  const bare = { message: sentence };
  const envelope = {
    success: false,
    message: failure.message,
    error: {
      status,
      message: sentence,
      ...(status === failures.conflict.status && { existingId: 'lead_6H8EV88000000005' }),
    },
    requestId: '5c0f3d0e-6f0c-4b9e-8a51-2f6d6f0b7c11',
  };
  const forms = errorForms(endpoint, status);
  const schemas = forms.map(toComponent);
  const [only, other] = schemas;
  return {
    description: failure.message,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(mayRetry && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: json(
      only && !other ? only : { anyOf: schemas },
      forms.includes('ErrorEnvelope') ? envelope : bare,
    ),
  };
}

/** The schemas of the bodies that an endpoint can answer an error status with. */
function errorForms({ bareErrors = [], ...endpoint }: Endpoint, status: FailureStatus): string[] {
  const isBare = bareErrors.includes(status);
  const isEnvelope = errorStatuses(endpoint).includes(status);
  return [...(isEnvelope ? ['ErrorEnvelope'] : []), ...(isBare ? ['BareFailure'] : [])];
}

/** Of an error that happens to one field, what its example says. */
const exampleSentences: Partial<Record<FailureStatus, string>> = {
  400: 'limit must be at most 100',
  401: sentences.unauthorized,
  403: 'The token lacks the scope "write"',
  404: 'There is no such lead',
  409: 'Another lead has this email',
  413: sentences.tooLarge,
  415: sentences.unsupported,
  429: sentences.throttled,
  500: sentences.internal,
  502: sentences.smsRefused,
  503: sentences.unavailable,
};

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
  const roots = ['ErrorEnvelope', 'BareFailure'];
  for (const operation of operations) {
    for (const schema of Object.values(operation.endpoint.responses)) {
      const name = responseSchemaName(operation, schema, { schemas });
      named[name] = schema;
      roots.push(name);
    }
  }
  const described = toJsonSchemaDefs(named, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions,
    overrideRef: ({ referenceId }) => toComponent(referenceId).$ref,
  });
  const inBodies = reachable(
    described,
    Object.keys(described).filter((name) => bodies.has(named[name])),
  );
  const inAnswers = reachable(described, roots);
  for (const [name, schema] of Object.entries(described)) {
    for (const field of bodies.get(named[name]) ?? []) (schema.properties ??= {})[field] = { readOnly: true };
    if (!inBodies.has(name)) loosen(schema);
  }
  return Object.fromEntries(
    Object.entries(described).filter(([name]) => inBodies.has(name) || inAnswers.has(name)),
  );
}

/** The schemas of these names, and all that they refer to. */
function reachable(
  described: Record<string, object>,
  names: string[],
  found = new Set<string>(),
): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const references = JSON.stringify(described[name] ?? {}).matchAll(
      /"\$ref":"#\/components\/schemas\/(\w+)"/g,
    );
    reachable(
      described,
      [...references].flatMap(([, to]) => to ?? []),
      found,
    );
  }
  return found;
}

function loosen(schema: object): void {
  if ('additionalProperties' in schema && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  for (const part of Object.values(schema)) if (isObject(part)) loosen(part);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function reference(schema: GenericSchema, { schemas }: Contracts): { $ref: string } {
  const name = nameOf(schema, schemas);
  if (name === undefined)
    throw new Error('A body schema is not exported from shared/endpoints, so it has no name');
  return toComponent(name);
}

const nameOf = (schema: GenericSchema, schemas: Contracts['schemas']) =>
  Object.keys(schemas).find((name) => schemas[name] === schema);

const toComponent = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** The name that a success body's schema is exported under, or one made of the operation's. */
const responseSchemaName = (
  { operationId }: Operation,
  schema: GenericSchema,
  { schemas }: Pick<Contracts, 'schemas'>,
) => nameOf(schema, schemas) ?? `${pascal(operationId)}Response`;

/** An error's name among the named responses: that of `Bad request` is `BadRequest`, or says that it has other forms. */
function errorName(endpoint: Endpoint, status: FailureStatus): string {
  const name = failureOf(status).message.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
  return errorForms(endpoint, status).includes('BareFailure') ? `Bare${name}` : name;
}

const failureOf = (status: FailureStatus) =>
  Object.values(failures).find((failure) => failure.status === status) ?? failures.internal;

/** The folder of the function: `functions/leads/list-leads.ts` is about `leads`. */
const tagOf = ({ entry }: Pick<Operation, 'entry'>) => entry.split('/')[1] ?? entry;
