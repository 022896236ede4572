import type * as v from 'valibot';
import type { EndpointAccess, FurtherKeys } from '../ledger/index.ts';
import type { FailureStatus } from './errors.ts';
import type { FieldProblem } from '../core/failure.ts';
import { isKeyScope, type KeyScope, type NarrowScope } from './scopes.ts';
import type { SentForm } from './sent-form.ts';

export type Schema = v.GenericSchema;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** How clients may keep an answer. */
export interface Caching {
  /** How long without asking again. */
  seconds: number;
}

/** Where an answer holds its one record. */
export interface AnsweredRecord {
  /** The field of the body that is the record; without one, the whole body is. */
  in?: string;
}

/** The id of a record in a path. */
export interface PathId {
  /** Names the record in "There is no such …", the answer to a malformed id as to an unknown one. */
  label: string;
  /** Parses the path's string to the handler's value. */
  schema: Schema;
}

/** An object schema. */
interface Fields {
  entries: v.ObjectEntries;
}

interface Definition<Path extends string> {
  method: Method;
  path: Path;
  /**
   * The narrowest scope that is enough; wider ones grant it too. `public` asks for no token. A key scope takes tokens as `key` in
   * the query, and no others.
   */
  scope: NarrowScope | KeyScope | 'public';
  /** What its function does with the ledger; its IAM role follows from this. */
  access: EndpointAccess;
  /** What its writes reach besides the organization's own items: `grants`, where it issues or revokes tokens. */
  alsoWrites?: FurtherKeys;
  summary: string;
  /** What a client should know before calling it. The OpenAPI description adds the scope. */
  description: string;
  /** The id that each path variable holds. */
  params: Record<ParameterNames<Path>, PathId>;
  /** An object schema, from query strings to the handler's values. Unknown parameters are refused. */
  query?: Schema & Fields;
  /** A strict object schema of the JSON body, or several, told apart by the value of one field. */
  body?: Schema & (Fields | { options: readonly Fields[] });
  /**
   * Whether forms of websites are sent to it. Its body is urlencoded, multipart or JSON, and comes to the handler as a `SentForm`,
   * whatever it is; it answers browsers with pages, and the sites of the caller's token may call it from their pages (CORS, with
   * `OPTIONS`).
   */
  takesForms?: true;
  /** Body fields that are ignored, so that a client can send back what it read. */
  readOnly?: readonly string[];
  /** A schema per success status. */
  responses: Partial<Record<200 | 201, Schema>>;
  /**
   * Given where the request reads, makes, changes or deletes one record. Its answer then has the record's `ETag`, a GET
   * answers 304 to a client that has it, and what changes or deletes the record takes `If-Match`: docs/reference.md,
   * Revisions. Who may not read the record gets its id alone.
   */
  record?: AnsweredRecord;
  /**
   * A record of another subject in the answer: in its field `in`, or in that field of each of `items`. Who lacks the scope
   * gets its id alone.
   */
  related?: { in: string; items?: string; scope: NarrowScope };
  /** Given where the answer has a record for each item of a batch: in the field `in` of each of `results`. */
  batch?: { results: string; in: string };
  /**
   * Of a GET: its 200 has an `ETag`, and a client that has it already gets 304. What needs a token is kept by the client
   * alone, for that token.
   */
  cache?: Caching;
  /** The endpoint's own error statuses; `errorStatuses` adds those that follow from its kind. */
  errors: readonly FailureStatus[];
  /** Error statuses that it answers with a `BareFailure` instead of the envelope. */
  bareErrors?: readonly FailureStatus[];
  /** What it uses besides the table. */
  uses?: 'sms';
  /** A sample request and its answer: shown in the OpenAPI description, and checked against the schemas. */
  example: {
    params?: Record<string, string>;
    query?: Record<string, string>;
    body?: unknown;
    response: unknown;
  };
  /** Whether it is an addition to the core API: docs/reference.md, Extensions. */
  extension?: boolean;
}

export interface Endpoint extends Omit<Definition<string>, 'params'> {
  readonly kind: 'endpoint';
  params: Record<string, PathId>;
}

/**
 * Defines one API operation as data. From it come the handler's types, validation, the API Gateway method,
 * the function and its role, the OpenAPI description, the test client and the check of every tested response.
 * Exported as `listLeadsEndpoint`, its operationId is `listLeads`.
 * @__NO_SIDE_EFFECTS__
 */
export function endpoint<const Path extends string, const D extends Definition<Path>>(
  definition: D & { path: Path },
): D & { readonly kind: 'endpoint' } {
  return { ...definition, kind: 'endpoint' };
}

/** Whether an endpoint takes tokens as `key` in the query, and no others. */
export const isKeyed = ({ scope }: Pick<Endpoint, 'scope'>): boolean => isKeyScope(scope);

/** Whether the answer of an endpoint is, or has, one record. */
export const answersRecord = ({ method, record }: Pick<Endpoint, 'method' | 'record'>): boolean =>
  record !== undefined && method !== 'DELETE';

/** Whether an endpoint changes or deletes one record, and so takes `If-Match`. */
export const takesIfMatch = ({ method, record }: Pick<Endpoint, 'method' | 'record'>): boolean =>
  record !== undefined && method !== 'GET' && method !== 'POST';

/** Every error status that an endpoint can answer, ascending. */
export function errorStatuses(endpoint: Endpoint): FailureStatus[] {
  const { errors, bareErrors = [], scope, access, body } = endpoint;
  const statuses = new Set<FailureStatus>([...errors, ...bareErrors, 429, 500]);
  // 400: an unknown query parameter.
  if (scope !== 'public') statuses.add(400).add(401).add(403);
  if (access !== 'none') statuses.add(503);
  if (takesIfMatch(endpoint)) statuses.add(412);
  if (body) statuses.add(400).add(413).add(415);
  return [...statuses].sort((a, b) => a - b);
}

/** The `{variables}` of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

type OutputOf<S> = S extends Schema ? v.InferOutput<S> : undefined;

/** The validated input of an endpoint's handler. */
export interface Input<E extends Endpoint> {
  params: { [Name in keyof E['params']]: OutputOf<E['params'][Name]['schema']> };
  query: OutputOf<E['query']>;
  body: E extends { takesForms: true } ? SentForm : OutputOf<E['body']>;
  /** Of a PUT: problems with body values that count only if the value changes; see `merge`. */
  doubts: readonly FieldProblem[];
}

/** What an endpoint's handler returns: one of its success statuses, with the body of that status. */
export type Reply<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: { status: Status; body: OutputOf<E['responses'][Status]> };
}[keyof E['responses'] & number];

export const ok = <Body>(body: Body): { status: 200; body: Body } => ({ status: 200, body });
export const created = <Body>(body: Body): { status: 201; body: Body } => ({ status: 201, body });
