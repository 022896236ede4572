import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Scope } from '../contract/scopes.ts';
import type { SentForm } from '../contract/sent-form.ts';
import type { Caller, ConsumedCapacity } from '../ledger/index.ts';

/** API Gateway's event within the middleware: header names in lower case. */
export interface ServedEvent extends APIGatewayProxyEvent {
  /** What the request has cost so far; set by `requestLog`. */
  capacity: ConsumedCapacity;
  /** Who sent the request; set by `identifyCaller`, unless the endpoint is public. */
  caller?: Caller;
  /** What the caller's token allows; set with the caller. */
  scopes?: readonly Scope[];
  /** The websites that the caller's token is for, as browsers name them in `Origin`; set with the caller. */
  sites?: readonly string[];
  /** The number of the caller's token, 0 where the authorizer did not tell; set with the caller. */
  tokenId?: number;
  /** The body, where it is JSON; set by `jsonBody`. */
  json?: unknown;
  /** The form that was sent; set by `forms`. */
  form?: SentForm;
  /** Errors for the log that the answer does not mention. */
  reported: unknown[];
  /** When the request came, in epoch milliseconds. */
  startedAt: number;
}

export type Middleware = middy.MiddlewareObj<ServedEvent, APIGatewayProxyResult>;

export function jsonAnswer(
  statusCode: number,
  body: unknown,
  textOf: (body: unknown) => string = JSON.stringify,
): APIGatewayProxyResult {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body: textOf(body) };
}
