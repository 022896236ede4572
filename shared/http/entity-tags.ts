import { hash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  takesIfMatch,
  type AnsweredRecord,
  type Caching,
  type Endpoint,
  type TokenEndpoint,
} from '../contract/endpoint.ts';
import { sentences } from '../contract/errors.ts';
import { canonicalText } from '../core/canonical-text.ts';
import { Failure, invalid } from '../core/failure.ts';
import { memoizeLast } from '../core/memoize-last.ts';
import type { FunctionPrincipal } from '../ledger/index.ts';
import { mayRead } from './principal.ts';
import { jsonResponse, type IdentifiedEvent, type Middleware, type ServedEvent } from './event.ts';
import { recordIn } from './id-alone.ts';

/** Matches tags in quotes, strong or weak, separated by commas (RFC 9110, section 8.8.3). */
const listOfTags = /^(?:[\s,]*(?:W\/)?"[^"]*"\s*(?=,|$))+[\s,]*$/;

/** True if a string is a valid `If-Match` or `If-None-Match`: `*`, or a list of tags. */
const isTagList = (text: string): boolean => text.trim() === '*' || listOfTags.test(text);

/**
 * True if a list of tags has this one. `W/"a"` and `"a"` count as the same, because compression on the way may make a
 * tag weak. A tag stands for the content of the body, not for its bytes.
 */
function listsTag(list: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, '');
  return list.trim() === '*' || (list.match(/"[^"]*"/g)?.includes(opaque) ?? false);
}

/**
 * Tells clients how long they may keep a 200, by `keptResponse`.
 *
 * The `ETag` is weak. A strong tag promises the same bytes (section 8.8.3.3), but API Gateway compresses the
 * body later, and only for some clients.
 */
export function caching({ scope }: Endpoint, { seconds }: Caching): Middleware {
  const tagOf = memoizeLast(weakTagOf);
  const [keptBy, differsBy] =
    scope === 'public' ? ['public', 'Accept-Encoding'] : ['private', 'Authorization, Accept-Encoding'];
  return {
    after: (request) => {
      const { event, response } = request;
      if (response?.statusCode !== 200) return;
      const tag = tagOf(response.body);
      const rules = { 'Cache-Control': `${keptBy}, max-age=${seconds}`, Vary: differsBy };
      request.response = keptResponse(event, response, { ETag: tag, ...rules });
    },
  };
}

/** Weak tag of a body: the body may be compressed on its way. */
export const weakTagOf = (body: string): string => `W/"${hash('sha256', body, 'base64url').slice(0, 16)}"`;

/**
 * A 200 that clients may keep, by these headers. 304 without a body if the client still has it, by `If-None-Match`
 * (RFC 9110, section 13.1.2).
 */
export const keptResponse = (
  event: Pick<ServedEvent, 'headers'>,
  response: APIGatewayProxyResult,
  headers: { ETag: string; 'Cache-Control': string; Vary: string },
): APIGatewayProxyResult =>
  listsTag(event.headers['if-none-match'] ?? '', headers.ETag)
    ? { statusCode: 304, headers, body: '' }
    : { ...response, headers: { ...response.headers, ...headers } };

/**
 * `ETag` of a record as the API shows it. The tag is the same from every endpoint and for every order of fields. Equal
 * records of different organizations have different tags.
 */
export const etagOf = (
  { organization }: Pick<FunctionPrincipal, 'organization'>,
  record: unknown,
): string => {
  const text = canonicalText([organization, record]);
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
};

/** The record is not the one that the request's `If-Match` names. */
export class OutdatedRecord extends Failure {
  /** Tag of the current record, for callers who may read the record. */
  readonly etag: string | undefined;

  constructor(etag: string | undefined) {
    super('outdated', sentences.outdated);
    this.etag = etag;
  }
}

/**
 * Returns a function that compares a record with the request's `If-Match`, and throws `OutdatedRecord`. If there is no
 * record (`undefined`), no tag names it, not even `*` (RFC 9110, section 13.1.1).
 * @throws Failure `invalid` if the header is not a list of tags
 */
export function ifMatchOf(endpoint: TokenEndpoint, event: IdentifiedEvent): (record: unknown) => void {
  const wanted = takesIfMatch(endpoint) ? event.headers['if-match'] : undefined;
  if (wanted === undefined) return () => undefined;
  if (!isTagList(wanted))
    throw invalid([{ field: 'If-Match', message: 'must be *, or tags in quotes, separated by commas' }]);
  return (record) => {
    if (record === undefined) throw new OutdatedRecord(undefined);
    const present = etagOf(event.identified.principal, record);
    const isReader = mayRead(endpoint.scope, event.identified.scopes);
    if (!listsTag(wanted, present)) throw new OutdatedRecord(isReader ? present : undefined);
  };
}

/** Response that has one record: with its `ETag`, or 304 if the client of a GET has the record already. */
export function recordResponse(
  { method }: Endpoint,
  { in: field }: AnsweredRecord,
  event: IdentifiedEvent,
  { status, body }: { status: number; body: unknown },
): APIGatewayProxyResult {
  const headers = { ETag: etagOf(event.identified.principal, recordIn(body, field)) };
  if (method === 'GET' && listsTag(event.headers['if-none-match'] ?? '', headers.ETag)) {
    return { statusCode: 304, headers, body: '' };
  }
  const answer = jsonResponse(status, body);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
