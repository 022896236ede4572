import type * as v from 'valibot';
import type { EndpointAccess, FurtherKeys } from '../ledger/index.ts';
import type { FailureStatus } from './errors.ts';
import type { FieldProblem } from '../core/failure.ts';

export type Schema = v.GenericSchema;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const scopes = ['read', 'write'] as const;
/** What a token may do. */
export type Scope = (typeof scopes)[number];

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** How clients may keep an answer. */
export interface Caching {
  /** How long without asking again. */
  seconds: number;
}

interface Definition<Path extends string> {
  method: Method;
  path: Path;
  /** The scope that the caller's token needs; `public` asks for no token. */
  scope: Scope | 'public';
  /** What its function does with the ledger; its IAM role follows from this. */
  access: EndpointAccess;
  /** What its writes reach besides the organization's own items: `grants`, where it issues or revokes tokens. */
  alsoWrites?: FurtherKeys;
  summary: string;
  /** What a client should know before calling it. The OpenAPI description adds the scope. */
  description: string;
  /** One schema per path variable, from the path's string to the handler's value. */
  params: Record<ParameterNames<Path>, Schema>;
  /** An object schema, from query strings to the handler's values. Unknown parameters are refused. */
  query?: Schema & { entries: v.ObjectEntries };
  /** A strict object schema of the JSON body. */
  body?: Schema & { entries: v.ObjectEntries };
  /** Body fields that are ignored, so that a client can send back what it read. */
  readOnly?: readonly string[];
  /** A schema per success status. */
  responses: Partial<Record<200 | 201, Schema>>;
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
  params: Record<string, Schema>;
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

/** Every error status that an endpoint can answer, ascending. */
export function errorStatuses(endpoint: Endpoint): FailureStatus[] {
  const { errors, bareErrors = [], scope, access, body } = endpoint;
  const statuses = new Set<FailureStatus>([...errors, ...bareErrors, 429, 500]);
  // 400: an unknown query parameter.
  if (scope !== 'public') statuses.add(400).add(401).add(403);
  if (access !== 'none') statuses.add(503);
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
  params: { [Name in keyof E['params']]: OutputOf<E['params'][Name]> };
  query: OutputOf<E['query']>;
  body: OutputOf<E['body']>;
  /** Of a PUT: problems with body values that count only if the value changes; see `merge`. */
  doubts: readonly FieldProblem[];
}

/** What an endpoint's handler returns: one of its success statuses, with the body of that status. */
export type Reply<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: { status: Status; body: OutputOf<E['responses'][Status]> };
}[keyof E['responses'] & number];

export const ok = <Body>(body: Body): { status: 200; body: Body } => ({ status: 200, body });
export const created = <Body>(body: Body): { status: 201; body: Body } => ({ status: 201, body });
