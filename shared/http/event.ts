import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Caller } from '../ledger/internal/caller.ts';
import type { ConsumedCapacity } from '../ledger/internal/consumed-capacity.ts';

/** API Gateway's event on its way through the middleware: header names are in lower case, the body gets parsed. */
export interface ServedEvent extends APIGatewayProxyEvent {
  /** What the request has cost so far; `requestLog` puts it there. */
  capacity: ConsumedCapacity;
  /** On whose behalf the request is; `identifyCaller` puts it there, where the endpoint is not public. */
  caller?: Caller;
  /** Errors that the answer leaves out, for the log. */
  reported: unknown[];
  /** When the request came, in epoch milliseconds. */
  startedAt: number;
}

export type Middleware = middy.MiddlewareObj<ServedEvent, APIGatewayProxyResult>;

/** A JSON answer. */
export function jsonAnswer(statusCode: number, body: unknown): APIGatewayProxyResult {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
