import type { Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Middleware, ServedEvent } from './event.ts';
import { log } from './log.ts';
import { newConsumedCapacity } from '../ledger/index.ts';

/** Adds `X-Request-Id` to every answer, and writes one line of log. Used first, so that it runs last. */
export function requestLog({ method, path }: Endpoint): Middleware {
  const finish: Middleware['after'] = ({ event, response, error }) => {
    if (!response) return;
    const { requestId, authorizer } = event.requestContext;
    response.headers = { ...response.headers, 'X-Request-Id': requestId };
    const organization: unknown = authorizer?.['organization'];
    const reported = event.reported.length > 0 && new AggregateError(event.reported, 'Not all went well');
    log({
      requestId,
      operation: `${method} ${path}`,
      ...(typeof organization === 'string' && { organization }),
      status: response.statusCode,
      milliseconds: Date.now() - event.startedAt,
      dynamodb: event.capacity,
      ...(error ? { error } : reported && { error: reported }),
    });
  };
  return {
    before: ({ event, context }) => {
      start(event, context);
    },
    after: finish,
    onError: finish,
  };
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
