import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { saidType } from '../contract/said.ts';
import type { Scope } from '../contract/scopes.ts';
import type { SentForm } from '../contract/sent-form.ts';
import type { ConsumedCapacity, FunctionPrincipal } from '../ledger/index.ts';
import type { WarmUp } from './warm-up.ts';

/** API Gateway's event as middleware and handlers get it. Header names are in lower case. */
export interface ServedEvent extends APIGatewayProxyEvent, WarmUp {
  /** True for the first call of an environment; set by `lambdaHandler`. */
  isFirst: boolean;
  /** Capacity that the request has consumed so far; set by `requestLog`. */
  capacity: ConsumedCapacity;
  /** Undefined until `identify` finds the sender, and for every public function. */
  identified?: Identified;
  /** Undefined until `forms` has read the form. */
  form?: SentForm;
  /** True if the answer repeats a request that came before with its `Idempotency-Key`; set by `carryOutOnce`. */
  isReplayed: boolean;
  /** Errors for the log that the response does not mention. */
  reported: unknown[];
  /** Arrival of the request, in epoch milliseconds. */
  startedAt: number;
}

/** Sender of a request, with the rights of the sender's token. */
export interface Identified {
  principal: FunctionPrincipal;
  scopes: readonly Scope[];
  /** Websites that the token is for, as browsers name them in `Origin`. */
  sites: readonly string[];
  /** Encrypted secret for the sender's signatures, or `""`. */
  signingSecret: string;
  /** Encrypted secret before it, or `""`, and the time (ISO 8601) until which it still signs. */
  formerSecret: string;
  formerSecretUntil: string;
}

/** Event once the sender is known. */
export interface IdentifiedEvent extends ServedEvent {
  identified: Identified;
}

export type Middleware = middy.MiddlewareObj<ServedEvent, APIGatewayProxyResult>;

export function jsonResponse(
  statusCode: number,
  body: unknown,
  serialize: (body: unknown) => string = JSON.stringify,
): APIGatewayProxyResult {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body: serialize(body) };
}

/** Body as text; empty if there is none. */
export const bodyText = ({ body, isBase64Encoded }: Pick<ServedEvent, 'body' | 'isBase64Encoded'>): string =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');

/** A text without the byte order mark that some clients begin with. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

export const textResponse = (statusCode: number, body: string): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body,
});

/** Response to be read out. The response is no record, so it has no `ETag`. */
export const saidResponse = (statusCode: number, said: unknown): APIGatewayProxyResult => ({
  ...jsonResponse(statusCode, said),
  headers: { 'Content-Type': saidType },
});
