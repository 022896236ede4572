import { hash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { takesIfMatch, type AnsweredRecord, type Endpoint } from '../contract/endpoint.ts';
import { canonicalText } from '../core/canonical-text.ts';
import { sentences } from '../contract/errors.ts';
import { Failure, invalid } from '../core/failure.ts';
import { mayRead } from './caller.ts';
import { isTagList, listsTag } from './entity-tags.ts';
import { recordIn } from './id-alone.ts';
import { jsonResponse, type ServedEvent } from './event.ts';

/**
 * `ETag` of a record as the API shows it. It is the same from every endpoint and for every order of fields.
 * Equal records of different organizations have different tags.
 */
const etagOf = ({ caller }: ServedEvent, record: unknown): string => {
  const text = canonicalText([caller?.organization, record]);
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
};

/** The record is not the one that the request's `If-Match` names. */
export class OutdatedRecord extends Failure {
  /** Tag of the record as it is now, for callers who may read the record. */
  readonly etag: string | undefined;

  constructor(etag: string | undefined) {
    super('outdated', sentences.outdated);
    this.etag = etag;
  }
}

/**
 * Returns a function that compares a record with the request's `If-Match`, and throws `OutdatedRecord`.
 * @throws Failure `invalid` if the header is not a list of tags
 */
export function ifMatchOf(endpoint: Endpoint, event: ServedEvent): (record: unknown) => void {
  const wanted = takesIfMatch(endpoint) ? event.headers['if-match'] : undefined;
  if (wanted === undefined) return () => undefined;
  if (!isTagList(wanted))
    throw invalid([{ field: 'If-Match', message: 'must be *, or tags in quotes, separated by commas' }]);
  return (record) => {
    const present = etagOf(event, record);
    if (!listsTag(wanted, present)) throw new OutdatedRecord(mayRead(endpoint, event) ? present : undefined);
  };
}

/** Response that has one record: with its `ETag`, or 304 if the client of a GET has the record already. */
export function recordResponse(
  { method }: Endpoint,
  { in: field }: AnsweredRecord,
  event: ServedEvent,
  { status, body }: { status: number; body: unknown },
): APIGatewayProxyResult {
  const headers = { ETag: etagOf(event, recordIn(body, field)) };
  if (method === 'GET' && listsTag(event.headers['if-none-match'] ?? '', headers.ETag)) {
    return { statusCode: 304, headers, body: '' };
  }
  const answer = jsonResponse(status, body);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
