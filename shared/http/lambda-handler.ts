import middy from '@middy/core';
import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { sentences } from '../contract/errors.ts';
import { Failure } from '../core/failure.ts';
import type { ServedEvent } from './event.ts';

/** Milliseconds before the function's timeout at which a request that hangs gets the response 500. */
const timeoutEarlyInMillis = 500;

/** Answer to the worker `keep-warm`, which does not read it. */
const warm: APIGatewayProxyResult = { statusCode: 204, body: '' };

/** Empty stack of middleware, for a function behind API Gateway. */
export const newStack = () =>
  middy<ServedEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis,
    timeoutEarlyResponse: () => {
      throw new Failure('internal', sentences.timeout);
    },
  });

/** The Lambda handler around a stack. Marks the first call of its environment, and answers `keep-warm` by itself. */
export function lambdaHandler(
  handle: (event: ServedEvent, context: Context) => Promise<APIGatewayProxyResult>,
) {
  let isFirst = true;
  return (event: ServedEvent, context: Context): Promise<APIGatewayProxyResult> => {
    event.isFirst = isFirst;
    isFirst = false;
    return event.warmUp ? Promise.resolve(warm) : handle(event, context);
  };
}
