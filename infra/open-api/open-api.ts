import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '@valibot/to-json-schema';
import {
  answersRecord,
  errorStatuses,
  pathParameters,
  takesIfMatch,
  takesKey,
  tellsCost,
  type Endpoint,
  type Schema,
} from '../../shared/contract/endpoint.ts';
import { type Contracts, type Operation } from '../functions.ts';
import { root } from '../root.ts';
import { saidType } from '../../shared/contract/said.ts';
import { canonicalText } from '../../shared/core/canonical-text.ts';
import { developmentVersion, projectVersion } from '../project-version.ts';
import { describeErrors, errorName, headerRef, headers, json, page, usualHeaders } from './errors.ts';
import { describeLinks } from './links.ts';
import { describeSchemas, nameOf, pathParameter, queryParameters, refTo } from './schemas.ts';
import { inOrder, tagOf, titleOf } from './tags.ts';
import { securityOf, securitySchemes, tokenSentences } from './tokens.ts';
import { webhooks } from './webhooks.ts';

type Json = Record<string, unknown>;

type Document = { openapi: string; info: Json & { version: string } } & Json;

/**
 * Builds the OpenAPI 3.1 description of every endpoint from the contracts. The function that serves it adds
 * `servers`. Additions to the core API are marked `x-extension` (docs/reference/conventions.md, Extensions). Without
 * `version`, the description has the version of the last release if nothing has changed since, and a
 * development version otherwise.
 */
export function openApiDocument(contracts: Contracts, version?: string): Document {
  const last = projectVersion();
  const document = documentOf(contracts, version ?? last);
  if (version !== undefined || isReleased(document)) return document;
  return documentOf(contracts, developmentVersion(last));
}

/** Path of the last release's description. */
export const releasedFile = 'docs/openapi.json';

/** True if a description equals the last release's, whatever the order of keys. */
function isReleased(document: Document): boolean {
  const released: unknown = JSON.parse(readFileSync(join(root, releasedFile), 'utf8'));
  return canonicalText(document) === canonicalText(released);
}

function documentOf(contracts: Contracts, version: string): Document {
  const operations = inOrder(contracts.operations);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const { path, method } = operation.endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, contracts) };
  }
  const components = {
    securitySchemes,
    headers,
    responses: describeErrors(operations),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sales Pipeline Service',
      version,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [...new Set(operations.map(tagOf))].map((name) => ({
      name,
      'x-displayName': titleOf(name),
      description: contracts.subjects[name],
    })),
    paths,
    webhooks,
    components: { ...components, schemas: describeSchemas(contracts, { paths, components }) },
  };
}

/**
 * Introduction, which opens the page of all operations. Links are relative to `/openapi` and `/docs`. The rules are in
 * docs/reference/conventions.md.
 */
const description = `
Leads of a trades business, and everything that happens to them.

- **[Tokens](docs/tokens).** Send \`Authorization: Bearer …\`. The token decides on the organization and on the operations.
- **[Errors](docs/errors).** Errors have one form. Unknown fields and unknown query parameters are refused. In a PUT or PATCH, \`null\`
  clears a text, a list, an object or a reference: [Conventions](docs/reference/conventions).
- **[Pages](docs/pages).** Walk through a list: send \`after\` with the \`nextAfter\` of each answer. Pages by number shift.
- **[Limits](docs/limits).** After a 429, wait for \`Retry-After\`, and send the request again.
- **[Retries](docs/idempotency).** Send an \`Idempotency-Key\` with each POST. Then a request that is sent again has one effect.

The badge "Extension", and \`x-extension\` in OpenAPI, mark additions to the core API. A client of the core API can ignore them.
`.trim();

function describe(operation: Operation, contracts: Contracts): Json {
  const { operationId, endpoint, entry } = operation;
  const { summary, body, extension, example, takesForms } = endpoint;
  return {
    operationId,
    summary,
    description: `${endpoint.description} ${tokenSentences(endpoint)}`,
    tags: [tagOf({ entry })],
    security: securityOf(endpoint),
    ...(extension && { 'x-extension': true, 'x-badges': [{ name: 'Extension' }] }),
    parameters: describeParameters(endpoint, contracts),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          ...json(refTo(nameOf(body, contracts)), example.body),
          ...(takesForms && formContents(json(refTo(nameOf(body, contracts)), example.body))),
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(endpoint.responses).map(([status, schema]) => [
          status,
          describeSuccess(status, schema, endpoint, contracts),
        ]),
      ),
      ...(takesForms && sentOn),
      ...describeNotModified(endpoint),
      ...Object.fromEntries(
        errorStatuses(endpoint).map((status) => [
          status,
          { $ref: `#/components/responses/${errorName(endpoint, status)}` },
        ]),
      ),
    },
  };
}

function describeParameters(endpoint: Endpoint, contracts: Contracts): object[] {
  const { path, params, example } = endpoint;
  const inPath = pathParameters(path).map((name) => {
    const id = params[name];
    if (!id) throw new Error(`The path parameter ${name} has no schema`);
    const schema = pathParameter(id.schema);
    return parameter({ in: 'path', name, required: true }, schema, example.params?.[name]);
  });
  const inQuery = queryParameters(endpoint, contracts).map(({ name, schema, required }) =>
    parameter({ in: 'query', name, required }, schema, example.query?.[name]),
  );
  return [...inPath, ...inQuery, ...revisionParameters(endpoint), ...keyParameters(endpoint)];
}

function parameter(
  named: { in: 'path' | 'query'; name: string; required: boolean },
  { description, ...schema }: JsonSchema,
  text: string | undefined,
): Json {
  const example = text !== undefined && schema.type === 'integer' ? Number(text) : text;
  return {
    ...named,
    ...(description && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}

function describeSuccess(status: string, schema: Schema, endpoint: Endpoint, contracts: Contracts): Json {
  const { said, plainText } = endpoint;
  return {
    description: status === '201' ? 'Created' : 'OK',
    headers: headersOf(endpoint),
    content: {
      ...json(refTo(nameOf(schema, contracts)), endpoint.example.response),
      ...(said && {
        [saidType]: { schema: refTo(nameOf(said.schema, contracts)), example: said.example },
      }),
      ...(plainText && { 'text/plain': { schema: { type: 'string' }, example: plainText.example } }),
      ...(endpoint.takesForms && page('Thank you', 'Your message was sent.')),
    },
    ...describeLinks(endpoint, contracts.operations),
  };
}

function describeNotModified(endpoint: Endpoint): Json {
  const isRevision = answersNotModified(endpoint);
  if (!endpoint.cache && !isRevision) return {};
  const description = 'Not modified: the client has it already';
  return { 304: { description, headers: headersOf(endpoint), ...(isRevision && { 'x-extension': true }) } };
}

const headersOf = (endpoint: Endpoint) => ({
  ...usualHeaders,
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
  ...(endpoint.cache && { ETag: headerRef('ETag'), 'Cache-Control': headerRef('CacheControl') }),
  ...(endpoint.anyOrigin && { 'Access-Control-Allow-Origin': headerRef('AllowOrigin') }),
  ...(answersRecord(endpoint) && { ETag: headerRef('Revision') }),
  ...(tellsCost(endpoint) && { 'Server-Timing': headerRef('ServerTiming') }),
  ...(takesKey(endpoint) && { 'Idempotency-Replayed': headerRef('Replayed') }),
});

/** Contents of a body besides JSON, for an endpoint that takes forms. */
const formContents = ({ 'application/json': content }: ReturnType<typeof json>) => ({
  'application/x-www-form-urlencoded': content,
  'multipart/form-data': content,
});

/** Redirect of a browser after a form. */
const sentOn = {
  303: {
    description: 'A browser goes on to `_next`',
    headers: { ...usualHeaders, Location: headerRef('Location') },
  },
};

/** True if an operation answers 304 to a client that has the record. */
const answersNotModified = (endpoint: Endpoint): boolean =>
  endpoint.method === 'GET' && answersRecord(endpoint);

/** Headers of a request that are about the revision of its record (docs/reference/conventions.md, Revisions). */
const revisionParameters = (endpoint: Endpoint): object[] => [
  ...(takesIfMatch(endpoint)
    ? [header('If-Match', 'The `ETag` of the record as the client knows it: if it is another by now, 412')]
    : []),
  ...(answersNotModified(endpoint)
    ? [header('If-None-Match', 'The `ETag` of the record that the client has: while it is the same, 304')]
    : []),
];

/** Header that lets a request be carried out only once (docs/guides/idempotency.md). */
const keyParameters = (endpoint: Endpoint): object[] =>
  takesKey(endpoint)
    ? [
        header(
          'Idempotency-Key',
          'Up to 255 visible characters that name this request. If the request comes again with this key within 24 hours, it ' +
            'is answered, and not carried out again. Another request with the key is a 422. If the record has changed since, ' +
            'the answer has its id alone',
        ),
      ]
    : [];

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  'x-extension': true,
});
