import type { Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoint.ts';
import { Failure } from '../core/failure.ts';
import { costHeaders } from './cost-headers.ts';
import type { Middleware, ServedEvent } from './event.ts';
import { isRefusal, log } from './log.ts';
import { settings } from './outside/settings.ts';
import { system } from './outside/system.ts';
import { readableBy } from './readable-by.ts';
import { newConsumedCapacity } from '../ledger/index.ts';

/** Metrics of every request. */
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
/** Metrics of a response below 500. The duration of a failed request says nothing about the others. */
const ofServed = [...ofAll, 'milliseconds'] as const;

/**
 * Keeps a response out of caches (RFC 9111, 5.2.2.5), because the response may hold anyone's data. A contract can say
 * how long its response may be kept.
 */
const notKept = { 'Cache-Control': 'no-store' };

/**
 * Adds the headers of every response, and writes one line of log. Used first, so that its `after` runs last. A
 * public function has no endpoint.
 */
export function requestLog(endpoint?: Endpoint): Middleware {
  const policy = settings.rateLimitPolicy;
  const finish: Middleware['after'] = ({ event, response, error }) => {
    if (!response) return;
    const { requestId, authorizer } = event.requestContext;
    response.headers = {
      ...notKept,
      ...response.headers,
      'X-Request-Id': requestId,
      // A 429 of a function comes from a daily count, such as the forms of a key, and not from these rates.
      ...(policy !== undefined && response.statusCode !== 429 && { 'RateLimit-Policy': policy }),
      ...(endpoint?.anyOrigin && readableBy('*')),
      ...(endpoint && costHeaders(endpoint, event)),
      ...(event.isReplayed && { 'Idempotency-Replayed': 'true' }),
    };
    const { statusCode: status } = response;
    const organization: unknown = authorizer?.['organization'];
    const { method, path, uses } = endpoint ?? { method: event.httpMethod, path: event.resource };
    const text = smsOutcomeOf(uses, status, error);
    const hiddenErrors = event.reported.filter((one) => !isRefusal(one)).length;
    log(
      {
        requestId,
        operation: `${method} ${path}`,
        ...(typeof organization === 'string' && { organization }),
        status,
        milliseconds: system.now() - event.startedAt,
        capacity: event.capacity,
        ...(event.isFirst && { coldStarts: 1 }),
        answers: 1,
        answer: String(status),
        ...(status >= 500 && { serverErrors: 1 }),
        ...(hiddenErrors > 0 && { hiddenErrors }),
        ...(text !== undefined && { texts: 1, text }),
        error: errorOf(error, event.reported),
      },
      status < 500 ? ofServed : ofAll,
    );
  };
  return {
    before: ({ event, context }) => {
      start(event, context);
    },
    after: finish,
    onError: finish,
  };
}

/** Outcome of the SMS; undefined if the request was refused before an SMS was to be sent. */
function smsOutcomeOf(uses: Endpoint['uses'], status: number, error: unknown): string | undefined {
  if (uses !== 'sms') return undefined;
  if (status < 300) return 'SENT';
  return error instanceof Failure ? error.extras.smsReason : undefined;
}

/** Error behind the response, together with the errors that the response does not mention. */
function errorOf(error: unknown, reported: readonly unknown[]): unknown {
  if (reported.length === 0) return error ?? undefined;
  return new AggregateError([...(error ? [error] : []), ...reported], 'Not all went well');
}

function start(event: ServedEvent, { awsRequestId }: Context): void {
  event.startedAt = system.now();
  event.capacity = newConsumedCapacity();
  event.reported = [];
  event.isReplayed = false;
  event.headers = lowerCased(event.headers);
  event.requestContext.requestId = orElse(event.requestContext.requestId, awsRequestId);
}

/** Puts header names into lower case. A test call of API Gateway's console has null headers. */
function lowerCased(headers: ServedEvent['headers'] | null): ServedEvent['headers'] {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Replaces a value that an event lacks although its type has it. */
const orElse = <T>(value: T | null | undefined, other: T): T => value ?? other;
