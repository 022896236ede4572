import middy from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint, Input, Reply } from '../contract/endpoint.ts';
import { sentences } from '../contract/errors.ts';
import { baseUrlOf } from './base-url.ts';
import { bodyLimits } from './body-limits.ts';
import { callerOf, identifyCaller, type CallerOf } from './caller.ts';
import { errorAnswers } from './error-answers.ts';
import { jsonAnswer, type ServedEvent } from './event.ts';
import { requestLog } from './request-log.ts';
import { validate } from './validate.ts';
import { Failure } from '../core/failure.ts';

/** Typed input in, a value out: a handler never touches an event, a header or an error's status. */
export type Handler<E extends Endpoint> = (
  request: Input<E> & {
    caller: CallerOf<E>;
    /** Where the API is, as the client addressed it: `https://api.example.com/v2`. */
    baseUrl: string;
    /** Notes in the log an error that the answer leaves out. */
    report: (error: unknown) => void;
  },
) => Promise<Reply<E>> | Reply<E>;

/** How long before the function's own limit a request that hangs is answered 500, in milliseconds. */
const timeoutEarlyInMillis = 500;

/**
 * The Lambda handler of an endpoint. Checks the token's scope, parses and validates the request, turns what the
 * handler returns or throws into an answer, and writes one line of log.
 */
export function serve<E extends Endpoint>(endpoint: E, handler: Handler<E>) {
  const answer = async (event: ServedEvent): Promise<APIGatewayProxyResult> => {
    const caller = callerOf(endpoint, event);
    const report = (error: unknown) => void event.reported.push(error);
    const { status, body } = await handler({
      ...validate(endpoint, event),
      caller,
      // Few ask for it.
      get baseUrl() {
        return baseUrlOf(event);
      },
      report,
    });
    return jsonAnswer(status, body);
  };
  const stack = middy<ServedEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis,
    timeoutEarlyResponse: () => {
      throw new Failure('internal', sentences.timeout);
    },
  });
  stack.use(requestLog(endpoint)).use(errorAnswers());
  if (endpoint.scope !== 'public') stack.use(identifyCaller(endpoint.scope));
  if (endpoint.body) stack.use(bodyLimits()).use(jsonBodyParser());
  return stack.handler(answer);
}
