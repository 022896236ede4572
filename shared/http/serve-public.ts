import type { APIGatewayProxyResult } from 'aws-lambda';
import type { EndpointResponse, PublicEndpoint } from '../contract/endpoint.ts';
import { memoizeLast } from '../core/memoize-last.ts';
import { baseUrlOf } from './base-url.ts';
import { caching } from './entity-tags.ts';
import { errorResponses } from './error-responses.ts';
import { jsonResponse, type ServedEvent } from './event.ts';
import { lambdaHandler, newStack } from './lambda-handler.ts';
import { requestLog } from './request-log.ts';

/**
 * The Lambda handler of a public function. Adds the headers of every response, turns an error into the error envelope,
 * and writes one line of log.
 */
export function servePublic(
  answer: (event: ServedEvent) => APIGatewayProxyResult | Promise<APIGatewayProxyResult>,
) {
  const stack = newStack();
  stack.use(requestLog());
  stack.use(errorResponses());
  return lambdaHandler(stack.handler(async (event) => answer(event)));
}

/** The Lambda handler of a public endpoint. `answer` gets the base URL of the API as the client addressed it. */
export function servePublicEndpoint<E extends PublicEndpoint>(
  endpoint: E,
  answer: (baseUrl: string) => Promise<EndpointResponse<E>> | EndpointResponse<E>,
) {
  const { cache } = endpoint;
  // A response that clients may keep is often the same as the response before.
  const serialize = cache ? memoizeLast(JSON.stringify) : JSON.stringify;
  const stack = newStack();
  stack.use(requestLog(endpoint));
  stack.use(errorResponses());
  if (cache) stack.use(caching(endpoint, cache));
  return lambdaHandler(
    stack.handler(async (event) => {
      const { status, body } = await answer(baseUrlOf(event));
      return jsonResponse(status, body, serialize);
    }),
  );
}
