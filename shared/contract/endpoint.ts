import type * as v from 'valibot';
import type { EndpointAccess } from '../ledger/index.ts';
import type { FailureStatus } from './errors.ts';
import { isKeyScope, type acceptScope, type KeyScope, type NarrowScope } from './scopes.ts';
import type { SentEvent } from './sent-event.ts';
import type { SentForm } from './sent-form.ts';

export type Schema = v.GenericSchema;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** Rules for clients that keep a response. */
export interface Caching {
  /** Seconds during which a client may use the kept response without asking again. */
  seconds: number;
}

/** Place of the one record in a response. */
export interface AnsweredRecord {
  /** Field of the body that is the record. Undefined if the whole body is the record. */
  in?: string;
}

/** Id of a record in a path. */
export interface PathId {
  /**
   * Label of the record's kind in "There is no such …". A malformed id and an unknown id get the same message.
   */
  label: string;
  /** Turns a string of the path into the handler's value. */
  schema: Schema;
}

interface Fields {
  entries: v.ObjectEntries;
}

interface Definition<Path extends string> {
  method: Method;
  path: Path;
  /**
   * The narrowest scope that is enough. Wider scopes include it. `public` asks for no token. An endpoint with a key
   * scope takes its token as `key` in the query, and no other token. `any` takes each token that is not sent as `key`.
   */
  scope: NarrowScope | KeyScope | typeof acceptScope | 'any' | 'public';
  /** Actions on the table, which decide the function's IAM role. */
  access: EndpointAccess;
  summary: string;
  /** Facts that a client should know before a call. The OpenAPI description adds the scope. */
  description: string;
  /** Ids in the path, by the names of the path variables. */
  params: Record<ParameterNames<Path>, PathId>;
  /** Object schema that turns query strings into the handler's values. Unknown parameters are refused. */
  query?: Schema & Fields;
  /** Strict object schema of the JSON body, or several such schemas that differ in the value of one field. */
  body?: Schema & (Fields | { options: readonly Fields[] });
  /**
   * True if websites send forms to the endpoint. The body is urlencoded, multipart or JSON, and comes to the handler as
   * a `SentForm`. Browsers get pages as answers. Pages on the sites of the caller's token may call the endpoint (CORS,
   * with `OPTIONS`).
   */
  takesForms?: true;
  /**
   * True if voice platforms send events to the endpoint. The body is any JSON, of any size that API Gateway passes, and
   * comes to the handler as a `SentEvent`. If the caller's token has a signing secret, the body must be signed with it.
   */
  takesEvents?: true;
  /** True if leads come in by the endpoint. A few failed requests in an hour then start the alarm LeadsFail. */
  bringsLeads?: true;
  /**
   * Body fields that the operation does not set, so that a client can send back a whole record that it has read. A
   * change with another value for a field that never changes is refused: see `fixed-fields.ts`.
   */
  readOnly?: readonly string[];
  /** Schema of the response by success status. */
  responses: Partial<Record<200 | 201, Schema>>;
  /** Answer as plain text, for the query `format=text`: an example. */
  plainText?: { example: string };
  /** Small answer with a sentence to be read out, for the query `format=say`: its schema, and an example. */
  said?: { schema: Schema; example: unknown };
  /**
   * Set if the request reads, makes, changes or deletes one record. The response then has the record's `ETag`. A GET
   * answers 304 to a client that has the record. A change or deletion takes `If-Match`: docs/reference/conventions.md, Revisions. A
   * caller who may not read the record gets only its id.
   */
  record?: AnsweredRecord;
  /**
   * Record of another subject in the response: in the field `in` of the body, or of each element of `items`. A caller
   * without the scope gets only the record's id.
   */
  related?: { in: string; items?: string; scope: NarrowScope };
  /** Set if the response has a record for each item of a batch, in the field `in` of each of `results`. */
  batch?: { results: string; in: string };
  /**
   * Set if clients may keep the response of a GET. The 200 then has an `ETag`, and a client that has the response
   * already gets 304. Only the client may keep a response that needs a token, and only for that token.
   */
  cache?: Caching;
  /** True if scripts of any website may read the answers and errors (CORS), because they hold no one's data. */
  anyOrigin?: true;
  /** The endpoint's own error statuses. `errorStatuses` adds the statuses that follow from other fields. */
  errors: readonly FailureStatus[];
  /** Error statuses with a `BareFailure` as body instead of the envelope. */
  bareErrors?: readonly FailureStatus[];
  /**
   * Service that the endpoint uses besides the table: the SMS provider (`sms`), or the KMS key of secrets.
   * `secrets` encrypts and decrypts secrets of webhooks and new tokens. `givenSecrets` encrypts and `signingSecrets` decrypts
   * secrets with which platforms sign.
   */
  uses?: 'sms' | 'secrets' | 'givenSecrets' | 'signingSecrets';
  /** Sample request and response, shown in the OpenAPI description and checked against the schemas. */
  example: {
    params?: Record<string, string>;
    query?: Record<string, string>;
    body?: unknown;
    response: unknown;
  };
  /**
   * True if a request with `Prefer: time-zone` is told the organization's time zone, for clients that show stored times to
   * people. The function passes `readTimeZone` to `serve`.
   */
  tellsTimeZone?: true;
  /** True for an addition to the core API: docs/reference/conventions.md, Extensions. */
  extension?: boolean;
}

export interface Endpoint extends Omit<Definition<string>, 'params'> {
  readonly kind: 'endpoint';
  params: Record<string, PathId>;
}

/** Endpoint that asks for a token, so that its handler has a principal. */
export interface TokenEndpoint extends Endpoint {
  scope: Exclude<Endpoint['scope'], 'public'>;
}

/** Endpoint that asks for no token, and takes no ids, no query and no body. */
export interface PublicEndpoint extends Endpoint {
  scope: 'public';
  params: Record<string, never>;
  query?: never;
  body?: never;
}

/**
 * Defines one API operation as data. This data decides the handler's types, the validation, the API Gateway method, and
 * the function with its role. The OpenAPI description, the test client and the check of every tested response follow
 * from it, too. The operationId of an endpoint that is exported as `listLeadsEndpoint` is `listLeads`.
 *
 * @example
 * export const getFaqEndpoint = endpoint({
 *   method: 'GET', path: '/v1/faqs/{faqId}',
 *   scope: 'faqs:read', access: 'get', // Who may call it, and what its role allows.
 *   summary: 'Read an FAQ', description: 'Also an FAQ that is not in use.',
 *   params: { faqId: pathId('FAQ', numberInPath) }, // The 404 names an FAQ.
 *   responses: { 200: FaqEnvelope }, record: { in: 'faq' },
 *   errors: [404], // Further errors follow from the other fields.
 *   example: { params: { faqId: '1' }, response: { faq: example } },
 * });
 *
 * @__NO_SIDE_EFFECTS__
 */
export function endpoint<const Path extends string, const D extends Definition<Path>>(
  definition: D & { path: Path },
): D & { readonly kind: 'endpoint' } {
  return { ...definition, kind: 'endpoint' };
}

/** True if an endpoint takes its token as `key` in the query. */
export const isKeyed = ({ scope }: Pick<Endpoint, 'scope'>): boolean => isKeyScope(scope);

/** True if answers of an endpoint state their cost. Answers to a key do not, because anyone may have the key. */
export const tellsCost = ({ scope }: Pick<Endpoint, 'scope'>): boolean =>
  scope !== 'public' && !isKeyScope(scope);

/** True if the response of an endpoint is or contains one record. */
export const answersRecord = ({ method, record }: Pick<Endpoint, 'method' | 'record'>): boolean =>
  record !== undefined && method !== 'DELETE';

/** True if an endpoint changes or deletes one record, and so takes `If-Match`. */
export const takesIfMatch = ({ method, record }: Pick<Endpoint, 'method' | 'record'>): boolean =>
  record !== undefined && method !== 'GET' && method !== 'POST';

/** Part of an endpoint that takes an `Idempotency-Key`. */
export type TakesKey = { method: 'POST' } | { batch: object };

/** True if an endpoint takes an `Idempotency-Key`: each POST, and each batch. */
export const takesKey = ({ method, batch }: Pick<Endpoint, 'method' | 'batch'>): boolean =>
  method === 'POST' || batch !== undefined;

/** Returns every error status that an endpoint can answer, ascending. */
export function errorStatuses(endpoint: Endpoint): FailureStatus[] {
  const { errors, bareErrors = [], scope, access, body, uses, takesEvents } = endpoint;
  const statuses = new Set<FailureStatus>([...errors, ...bareErrors, 429, 500]);
  // 400: an unknown query parameter.
  if (scope !== 'public') statuses.add(400).add(401).add(403);
  if (access !== 'none') statuses.add(503);
  if (takesIfMatch(endpoint)) statuses.add(412);
  if (takesKey(endpoint)) statuses.add(422);
  // The first request with the same key may be at the provider.
  if (takesKey(endpoint) && uses === 'sms') statuses.add(409);
  // The content of an event is never a reason to refuse it.
  if (body && !takesEvents) statuses.add(400).add(413).add(415);
  return [...statuses].sort((a, b) => a - b);
}

/** Returns the `{variables}` of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

type OutputOf<S> = S extends Schema ? v.InferOutput<S> : undefined;

export interface Input<E extends Endpoint> {
  params: { [Name in keyof E['params']]: OutputOf<E['params'][Name]['schema']> };
  query: OutputOf<E['query']>;
  body: E extends { takesForms: true }
    ? SentForm
    : E extends { takesEvents: true }
      ? SentEvent
      : OutputOf<E['body']>;
}

/** Result of an endpoint's handler: one of its success statuses, with the body of that status. */
export type EndpointResponse<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: { status: Status; body: OutputOf<E['responses'][Status]> };
}[keyof E['responses'] & number];

/** Result of a handler for a client that wants an answer to be read out. */
export type SaidResponse<E extends Endpoint> = E extends { said: { schema: infer S extends Schema } }
  ? { status: keyof E['responses'] & number; said: v.InferOutput<S> }
  : never;

/** Result of a handler for a client that wants plain text. */
export type TextResponse<E extends Endpoint> = E extends { plainText: object }
  ? { status: 200; text: string }
  : never;

/** Item of a batch's results, with a record or with only the id of the record. */
type Repeatable<Item, In extends string> =
  Item extends Record<In, infer Record_ extends { id: unknown }>
    ? Omit<Item, In> & Record<In, Record_ | Pick<Record_, 'id'>>
    : Item;

/**
 * Response to a request that may be a repeat. In the response to a repeated batch, some records have only ids: the
 * records that have changed since the batch first came.
 */
export type RepeatableResponse<E extends Endpoint> =
  | EndpointResponse<E>
  | SaidResponse<E>
  | TextResponse<E>
  | (E extends { batch: { results: infer Results extends string; in: infer In extends string } }
      ? EndpointResponse<E> extends { body: infer Body extends Record<Results, readonly unknown[]> }
        ? {
            status: 200;
            body: Omit<Body, Results> & Record<Results, Repeatable<Body[Results][number], In>[]>;
          }
        : never
      : never);

export const ok = <Body>(body: Body): { status: 200; body: Body } => ({ status: 200, body });
export const created = <Body>(body: Body): { status: 201; body: Body } => ({ status: 201, body });
export const plainText = (text: string) => ({ status: 200, text }) as const;
/** Answer to be read out. */
export const said = <const Status extends 200 | 201, Said>(status: Status, said: Said) => ({ status, said });
