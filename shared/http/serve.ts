import middy from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint, Input, Reply } from '../contract/endpoint.ts';
import { sentences } from '../contract/errors.ts';
import { baseUrlOf } from './base-url.ts';
import { bodyLimits } from './body-limits.ts';
import { caching } from './caching.ts';
import { callerOf, identifyCaller, type CallerOf } from './caller.ts';
import { errorAnswers } from './error-answers.ts';
import { jsonAnswer, type ServedEvent } from './event.ts';
import { requestLog } from './request-log.ts';
import { validate } from './validate.ts';
import { Failure } from '../core/failure.ts';
import { rememberLast } from '../core/remember-last.ts';

/** Typed input in, a value out: a handler never touches an event, a header or an error's status. */
export type Handler<E extends Endpoint> = (
  request: Input<E> & {
    caller: CallerOf<E>;
    /** The API's base URL, as the client addressed it: `https://api.example.com/v2`. */
    baseUrl: string;
    /** Logs an error that the answer does not mention. */
    report: (error: unknown) => void;
  },
) => Promise<Reply<E>> | Reply<E>;

/** A request that hangs is answered 500 this many milliseconds before the function's timeout. */
const timeoutEarlyInMillis = 500;

/**
 * The Lambda handler of an endpoint. Checks the token's scope, parses and validates the request, turns the
 * handler's result or error into an answer, and writes one line of log.
 */
export function serve<E extends Endpoint>(endpoint: E, handler: Handler<E>) {
  const { body: bodySchema, cache, scope } = endpoint;
  // What clients may keep is often the same once more.
  const textOf = cache ? rememberLast(JSON.stringify) : JSON.stringify;
  const answer = async (event: ServedEvent): Promise<APIGatewayProxyResult> => {
    const caller = callerOf(endpoint, event);
    const report = (error: unknown) => void event.reported.push(error);
    const { status, body } = await handler({
      ...validate(endpoint, event),
      caller,
      // A getter, since few handlers need it.
      get baseUrl() {
        return baseUrlOf(event);
      },
      report,
    });
    return jsonAnswer(status, body, textOf);
  };
  const stack = middy<ServedEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis,
    timeoutEarlyResponse: () => {
      throw new Failure('internal', sentences.timeout);
    },
  });
  stack.use(requestLog(endpoint)).use(errorAnswers());
  if (cache) stack.use(caching(endpoint, cache));
  if (scope !== 'public') stack.use(identifyCaller(scope));
  if (bodySchema) stack.use(bodyLimits()).use(jsonBodyParser());
  return stack.handler(answer);
}
