import type * as v from 'valibot';
import type { FailureStatus } from './errors.ts';
import type { FieldProblem } from '../core/failure.ts';

export type Schema = v.GenericSchema;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const scopes = ['read', 'write'] as const;
/** What a token may do. */
export type Scope = (typeof scopes)[number];

/**
 * What an endpoint does to the table; infra turns it into exactly the DynamoDB actions of its function's role. `all`
 * reads whole collections, `page` a page of one, `view` a page of a view, `join` either, and the records it refers to;
 * `write` adds and changes records, `rename` changes a unique value too, `delete` removes records.
 */
export type Access = 'none' | 'get' | 'all' | 'page' | 'view' | 'join' | 'write' | 'rename' | 'delete';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

interface Definition<Path extends string> {
  method: Method;
  path: Path;
  /** The scope that the caller's token needs; `public` asks for no token. */
  scope: Scope | 'public';
  access: Access;
  summary: string;
  /** What to know of it before calling it. The description of the API adds the scope. */
  description: string;
  /** One schema per path variable, from the string in the path to the value that the handler gets. */
  params: Record<ParameterNames<Path>, Schema>;
  /** An object schema, from query strings to the values that the handler gets. A parameter that it does not know is refused. */
  query?: Schema & { entries: v.ObjectEntries };
  /** A strict object schema of the JSON body. */
  body?: Schema & { entries: v.ObjectEntries };
  /** Body fields that are accepted and ignored, so that a client can send back what it read. */
  readOnly?: readonly string[];
  /** A schema per success status. */
  responses: Partial<Record<200 | 201, Schema>>;
  /** The error statuses that are this endpoint's own; `errorStatuses` adds those that follow from its kind. */
  errors: readonly FailureStatus[];
  /** Statuses of failures that it answers with a `BareFailure` in place of the envelope. */
  bareErrors?: readonly FailureStatus[];
  /** What it uses beside the table. */
  uses?: 'sms';
  /** One request as it may come, and its answer: shown in the API's description, and checked against the schemas. */
  example: {
    params?: Record<string, string>;
    query?: Record<string, string>;
    body?: unknown;
    response: unknown;
  };
  /** True for what the specification does not name. */
  extension?: boolean;
}

export interface Endpoint extends Omit<Definition<string>, 'params'> {
  readonly kind: 'endpoint';
  params: Record<string, Schema>;
}

/**
 * Defines one API operation: pure data, from which come the handler's types, validation, the API Gateway method,
 * the function and its role, the OpenAPI description, the test client and the check of every tested response.
 * The name it is exported under is its operationId.
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
  // 400: a query parameter that is not known.
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

/** What the handler of an endpoint gets, validated. */
export interface Input<E extends Endpoint> {
  params: { [Name in keyof E['params']]: OutputOf<E['params'][Name]> };
  query: OutputOf<E['query']>;
  body: OutputOf<E['body']>;
  /** Of a PUT: problems with values of the body that are none where the record has these values already. */
  doubts: readonly FieldProblem[];
}

/** What the handler of an endpoint returns: one of its success statuses with the body of that status. */
export type Reply<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: { status: Status; body: OutputOf<E['responses'][Status]> };
}[keyof E['responses'] & number];

export const ok = <Body>(body: Body): { status: 200; body: Body } => ({ status: 200, body });
export const created = <Body>(body: Body): { status: 201; body: Body } => ({ status: 201, body });
