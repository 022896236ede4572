import type { Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoint.ts';
import { Failure } from '../core/failure.ts';
import type { Middleware, ServedEvent } from './event.ts';
import { isRefusal, log } from './log.ts';
import { newConsumedCapacity } from '../ledger/index.ts';

/** The metrics of every request. */
const ofAll = [
  'answers',
  'readUnits',
  'writeUnits',
  'transactions',
  'writes',
  'refusals',
  'coldStarts',
  'serverErrors',
  'hiddenErrors',
  'texts',
] as const;
/** Those below 500: the time of one that failed says nothing about the others. */
const ofServed = [...ofAll, 'milliseconds'] as const;

/** Header that keeps an answer out of caches (RFC 9111, 5.2.2.5), unless its contract says how long it may be kept: it may hold anyone's data. */
const notKept = { 'Cache-Control': 'no-store' };

/** Adds the headers of every answer, and writes one line of log. Used first, so that it runs last. */
export function requestLog(endpoint: Endpoint): Middleware {
  let isFirst = true;
  const finish: Middleware['after'] = ({ event, response, error }) => {
    if (!response) return;
    const { requestId, authorizer } = event.requestContext;
    response.headers = { ...notKept, ...response.headers, 'X-Request-Id': requestId };
    const { statusCode: status } = response;
    const organization: unknown = authorizer?.['organization'];
    const text = textOf(endpoint, status, error);
    const hiddenErrors = event.reported.filter((one) => !isRefusal(one)).length;
    log(
      {
        requestId,
        operation: `${endpoint.method} ${endpoint.path}`,
        ...(typeof organization === 'string' && { organization }),
        status,
        milliseconds: Date.now() - event.startedAt,
        capacity: event.capacity,
        ...(isFirst && { coldStarts: 1 }),
        answers: 1,
        answer: String(status),
        ...(status >= 500 && { serverErrors: 1 }),
        ...(hiddenErrors > 0 && { hiddenErrors }),
        ...(text !== undefined && { texts: 1, text }),
        error: errorOf(error, event.reported),
      },
      status < 500 ? ofServed : ofAll,
    );
    isFirst = false;
  };
  return {
    before: ({ event, context }) => {
      start(event, context);
    },
    after: finish,
    onError: finish,
  };
}

/** What became of the text message; undefined where the request was refused before one was to be sent. */
function textOf({ uses }: Endpoint, status: number, error: unknown): string | undefined {
  if (uses !== 'sms') return undefined;
  if (status < 300) return 'SENT';
  return error instanceof Failure ? error.extras.reason : undefined;
}

/** The error behind the answer, together with those that it does not mention. */
function errorOf(error: unknown, reported: readonly unknown[]): unknown {
  if (reported.length === 0) return error ?? undefined;
  return new AggregateError([...(error ? [error] : []), ...reported], 'Not all went well');
}

function start(event: ServedEvent, { awsRequestId }: Context): void {
  event.startedAt = Date.now();
  event.capacity = newConsumedCapacity();
  event.reported = [];
  event.headers = lowerCased(event.headers);
  event.requestContext.requestId = orElse(event.requestContext.requestId, awsRequestId);
}

/** Without any where there are none: a test call of API Gateway's console has null. */
function lowerCased(headers: ServedEvent['headers'] | null): ServedEvent['headers'] {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** For what an event lacks although its type has it. */
const orElse = <T>(value: T | null | undefined, other: T): T => value ?? other;
