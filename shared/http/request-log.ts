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
    before: ({ event }) => {
      start(event);
    },
    after: finish,
    onError: finish,
  };
}

function start(event: ServedEvent): void {
  event.startedAt = Date.now();
  event.capacity = newConsumedCapacity();
  event.reported = [];
  event.headers = Object.fromEntries(
    Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
