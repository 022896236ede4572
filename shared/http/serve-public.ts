import type { APIGatewayProxyResult } from 'aws-lambda';
import { errorResponses } from './error-responses.ts';
import type { ServedEvent } from './event.ts';
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
  stack.use(errorResponses({ scope: 'public' }));
  return lambdaHandler(stack.handler(async (event) => answer(event)));
}
