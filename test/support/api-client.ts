import * as v from 'valibot';
import { expect } from 'vitest';
import {
  answersRecord,
  errorStatuses,
  isKeyed,
  type Endpoint,
  type EndpointResponse,
  type SaidResponse,
} from '../../shared/contract/endpoint.ts';
import { BareFailure, ErrorEnvelope, failures } from '../../shared/contract/errors.ts';
import { saidType } from '../../shared/contract/said.ts';
import { isGranted, readScopeOf, type Scope } from '../../shared/contract/scopes.ts';
import type { ConsumedCapacity } from '../../shared/ledger/index.ts';
import { contract } from './contract.ts';
import { troubleHeader } from './machine/served-api.ts';

const plainType = 'text/plain; charset=utf-8';

interface Parts {
  headers?: Record<string, string>;
  params?: Record<string, string | number>;
  query?: Record<string, string | number>;
  body?: unknown;
}

type Cost = Pick<ConsumedCapacity, 'calls' | 'readUnits' | 'writeUnits'>;

interface Init {
  headers?: Record<string, string>;
  body?: string;
  /** True if the token goes into the query as `key`, and not into a header. */
  isKeyed?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
  /** Consumption of DynamoDB by the endpoint's function. */
  cost: Cost;
}

type Contract = typeof contract;
/** Name of an operation, such as `createLead`. */
type Name = { [K in keyof Contract]: K extends `${infer N}Endpoint` ? N : never }[keyof Contract];
/** An operation: by its name, or its endpoint. */
export type Called = Name | Endpoint;
type EndpointOf<C extends Called> = Extract<
  C extends Name ? Contract[`${C}Endpoint` & keyof Contract] : C,
  Endpoint
>;
type SuccessBody<C extends Called> = EndpointResponse<EndpointOf<C>>['body'];

const endpointOf = (called: Called): Endpoint =>
  typeof called === 'string' ? contract[`${called}Endpoint`] : called;

/**
 * Sends requests with one token. Checks every answer against its contract, the error envelope, or the form of
 * an endpoint's own failures.
 */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #token: string | undefined;
  readonly #scopes: readonly Scope[];

  /** Takes the token's scopes, because they decide which fields an answer shows. */
  constructor(baseUrl: string, token?: string, scopes: readonly Scope[] = ['read', 'write']) {
    this.#baseUrl = baseUrl;
    this.#token = token;
    this.#scopes = scopes;
  }

  /** Calls an endpoint that must succeed. Returns the body. */
  async call<C extends Called>(called: C, parts: Parts = {}): Promise<SuccessBody<C>> {
    return (await this.answer(called, parts)).body;
  }

  /** Calls an endpoint that must succeed. Returns the whole answer. */
  async answer<C extends Called>(
    called: C,
    parts: Parts = {},
  ): Promise<Omit<Answer, 'body'> & { body: SuccessBody<C> }> {
    const answer = await this.#call(called, parts);
    const successes = Object.keys(endpointOf(called).responses).map(Number);
    expect(successes, JSON.stringify(answer.body)).toContain(answer.status);
    return answer as Omit<Answer, 'body'> & { body: SuccessBody<C> };
  }

  /** Calls an endpoint for an answer to be read out. */
  async say<C extends Called>(called: C, parts: Parts = {}): Promise<SaidResponse<EndpointOf<C>>['said']> {
    const { body, headers } = await this.#call(called, {
      ...parts,
      query: { ...parts.query, format: 'say' },
    });
    expect(headers.get('content-type'), JSON.stringify(body)).toBe(saidType);
    return body as SaidResponse<EndpointOf<C>>['said'];
  }

  /** Calls an endpoint that must fail with this status. Returns the error. */
  async failure(called: Called, status: number, parts: Parts = {}): Promise<ErrorEnvelope['error']> {
    const { body, ...answer } = await this.#call(called, parts);
    expect({ ...answer, body }).toMatchObject({ status });
    return v.parse(ErrorEnvelope, body).error;
  }

  /**
   * Calls an endpoint that must fail with this status in the endpoint's own form of failures. Returns the
   * message.
   */
  async bareFailure(called: Called, status: number, parts: Parts = {}): Promise<string> {
    const { body, ...answer } = await this.#call(called, parts);
    expect({ ...answer, body }).toMatchObject({ status });
    return v.parse(BareFailure, body).message;
  }

  /**
   * Calls an endpoint that must answer 400 because of these problems, and must name all of them. The first
   * problem is the message.
   */
  async refuses(called: Called, parts: Parts, ...problems: string[]): Promise<void> {
    expect(await this.failure(called, 400, parts)).toEqual(problem(...problems));
  }

  /** Calls an endpoint that must find no such record: a 404. */
  async lacks(called: Called, parts: Parts, label: string): Promise<void> {
    const expected = { status: 404, message: `There is no such ${label}` };
    expect(await this.failure(called, 404, parts)).toEqual(expected);
  }

  /** Calls an endpoint that may succeed or fail. */
  attempt(called: Called, parts: Parts = {}): Promise<Answer> {
    return this.#call(called, parts);
  }

  /** Sends any request. Checks that an error has the envelope. */
  async send(method: string, path: string, init: Init = {}): Promise<Answer> {
    const answer = await this.#send(method, path, init);
    if (answer.status >= 400) checkEnvelope(answer);
    return answer;
  }

  async #send(method: string, path: string, init: Init): Promise<Answer> {
    const token = this.#token ?? '';
    const url = new URL(`${this.#baseUrl}${path}`);
    if (init.isKeyed && token) url.searchParams.set('key', token);
    const response = await fetch(url, {
      method,
      headers: { ...(token && !init.isKeyed && { Authorization: `Bearer ${token}` }), ...init.headers },
      ...(init.body !== undefined && { body: init.body }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const trouble = headers.get(troubleHeader);
    if (trouble !== null) {
      const id = headers.get('x-request-id');
      // oxlint-disable-next-line no-console -- Vitest shows it if the test fails.
      console.error(
        `${method} ${path}: ${status}, request ${id}\n${Buffer.from(trouble, 'base64').toString()}`,
      );
    }
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    if (status === 304) {
      expect([text, headers.get('content-encoding')]).toEqual(['', null]);
      return { status, headers, body: undefined, cost: costOf(headers) };
    }
    const type = headers.get('content-type');
    expect(['application/json', saidType, plainType]).toContain(type);
    const body: unknown = type === plainType ? text : JSON.parse(text);
    return { status, headers, body, cost: costOf(headers) };
  }

  async #call(called: Called, { headers, params = {}, query = {}, body }: Parts): Promise<Answer> {
    const endpoint = endpointOf(called);
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const answer = await this.#send(endpoint.method, `${path}?${search.toString()}`, {
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      isKeyed: isKeyed(endpoint),
    });
    if (answer.status < 400) checkCaching(endpoint, answer);
    const isReader = endpoint.scope === 'public' || isGranted(readScopeOf(endpoint.scope), this.#scopes);
    const isReplayed = answer.headers.get('idempotency-replayed') === 'true';
    const isSaid = answer.headers.get('content-type') === saidType;
    const isShortened = isReplayed && answer.status < 400 && !isSaid && hasIdsAlone(endpoint, answer.body);
    checkRevision(endpoint, isReader && !isShortened && !isSaid, answer);
    if (answer.status === 304) {
      expect(mayBeKept(endpoint), 'only an endpoint whose answers may be kept answers 304').toBe(true);
    } else if (answer.headers.get('content-type') === plainType) {
      expect(endpoint.plainText, 'plain text is in the contract').toBeDefined();
    } else if (isSaid) {
      expect(Object.keys(endpoint.responses).map(Number)).toContain(answer.status);
      expect(Object.keys(v.parse(endpoint.said!.schema, answer.body) as object)[0]).toBe('say');
    } else if (answer.status < 400) {
      const schema = Object.entries(endpoint.responses).find(
        ([status]) => Number(status) === answer.status,
      )?.[1];
      expect(schema, `status ${answer.status} is in the contract`).toBeDefined();
      const narrow = [
        ...(isReader ? [] : narrowIn(endpoint, answer.body)),
        ...relatedIn(endpoint, this.#scopes, answer.body),
      ];
      for (const record of narrow) expect(Object.keys(record as object), 'the id alone').toEqual(['id']);
      if (narrow.length === 0 && !isShortened) v.parse(schema!, answer.body);
    } else {
      expect(errorStatuses(endpoint), 'the status is in the contract').toContain(answer.status);
      checkError(endpoint, answer);
      if (!isReader) expect(JSON.stringify(answer.body)).not.toContain('existingId');
    }
    return answer;
  }
}

/**
 * Error of a request with these problems. Each problem is a sentence that begins with its field. A problem of
 * the whole request has another subject.
 */
export const problem = (...sentences: string[]) => ({
  status: 400,
  message: sentences[0],
  details: sentences.map((sentence) => {
    const [, field = '', message = sentence] = /^(?![A-Z][a-z]* )(\S*) (.*)$/s.exec(sentence) ?? [];
    return { field, message };
  }),
});

/** Checks how long the answer may be kept, and its `ETag`: docs/reference/conventions.md, Requests and answers. */
function checkCaching({ cache }: Endpoint, { headers }: Answer): void {
  const kept = cache ? new RegExp(`^(?:public|private), max-age=${cache.seconds}$`) : /^no-store$/;
  expect(headers.get('cache-control')).toMatch(kept);
  if (cache) expect(headers.get('etag')).toMatch(/^(?:W\/)?"[\w-]{16}"$/);
}

const mayBeKept = (endpoint: Endpoint) =>
  endpoint.cache !== undefined || (endpoint.method === 'GET' && answersRecord(endpoint));

/**
 * Checks that an answer has an `ETag` if it shows one record to a token that may read it, and none otherwise:
 * docs/reference/conventions.md, Revisions.
 */
function checkRevision(endpoint: Endpoint, isReader: boolean, { status, headers }: Answer): void {
  if (endpoint.cache) return;
  // An upsert without a record to compare has no tag to name.
  if (status === 412 && 201 in endpoint.responses && !headers.has('etag')) return;
  const isTagged = isReader && (status === 412 || (status < 400 && answersRecord(endpoint)));
  if (isTagged) expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
  else expect(headers.get('etag')).toBeNull();
}

/** Records of another subject in an answer. A token that may not read that subject gets their ids alone. */
function relatedIn({ related }: Endpoint, scopes: readonly Scope[], body: unknown): unknown[] {
  if (!related || isGranted(related.scope, scopes)) return [];
  const at = (value: unknown, name: string) => (value as Record<string, unknown>)[name];
  const holders = related.items === undefined ? [body] : (at(body, related.items) as unknown[]);
  return holders.map((holder) => at(holder, related.in)).filter(Boolean);
}

/** True if a record in a repeated answer has its id alone, because the record has changed since. */
const hasIdsAlone = (endpoint: Endpoint, body: unknown): boolean =>
  narrowIn(endpoint, body).some((record) => Object.keys(record as object).join() === 'id');

/** Records in an answer. A token that may not read them gets their ids alone. */
function narrowIn({ record, batch, ...endpoint }: Endpoint, body: unknown): unknown[] {
  const at = (value: unknown, name: string) => (value as Record<string, unknown>)[name];
  if (batch) return (at(body, batch.results) as unknown[]).map((one) => at(one, batch.in)).filter(Boolean);
  if (!record || !answersRecord({ ...endpoint, record })) return [];
  return [record.in === undefined ? body : at(body, record.in)];
}

/**
 * Checks an error. An endpoint's own failures hold a message alone. A status that follows from the endpoint's
 * kind as well may have the envelope.
 */
function checkError({ bareErrors = [], ...endpoint }: Endpoint, answer: Answer): void {
  const { status, body } = answer;
  const known: readonly number[] = bareErrors;
  const isOwn = known.includes(status);
  const isOther = errorStatuses(endpoint).some((other) => other === status);
  if (isOwn && (!isOther || v.is(BareFailure, body))) v.parse(BareFailure, body);
  else checkEnvelope(answer);
}

/**
 * Checks the envelope: `success` is false, the message is that of the table, and the status and the request's
 * id stand in it twice. See docs/guides/errors.md.
 */
function checkEnvelope({ status, headers, body }: Omit<Answer, 'cost'>): void {
  const envelope = v.parse(ErrorEnvelope, body);
  const failure = Object.values(failures).find((known) => known.status === status);
  expect(envelope.message).toBe(failure?.message);
  expect(envelope.error.status).toBe(status);
  expect(envelope.requestId).toBe(headers.get('x-request-id'));
}

function costOf(headers: Headers): Cost {
  const [calls, readUnits, writeUnits] =
    (headers.get('x-local-cost') ?? '').match(/[\d.]+/g)?.map(Number) ?? [];
  return { calls: calls!, readUnits: readUnits!, writeUnits: writeUnits! };
}
