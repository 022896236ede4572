import type { HttpRequest } from './http-message.ts';
import { proxyEvent } from './proxy-event.ts';
import type { Authorizer, MockRoute, Route } from './template/api-methods.ts';

/** A request on its way to an authorizer. */
interface AuthorizerRequest {
  request: HttpRequest;
  route: Route | MockRoute;
  path: string;
  query: string;
  requestId: string;
  variables: Record<string, string>;
}

/**
 * Finds the value that an authorizer is asked about and that its answer is cached by: a header or a query
 * parameter, the last if the request has several. Undefined if it is missing or empty; API Gateway then
 * answers 401 without asking:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export function identityOf(
  authorizer: Authorizer,
  { request, query }: Pick<AuthorizerRequest, 'request' | 'query'>,
) {
  const [place, name = ''] = authorizer.IdentitySource.slice('method.request.'.length).split('.');
  const value =
    place === 'querystring'
      ? new URLSearchParams(query).getAll(name).at(-1)
      : request.headers.findLast(([given]) => given.toLowerCase() === name.toLowerCase())?.[1];
  return value || undefined;
}

/** Builds the event of an authorizer. */
export function authorizerEvent(methodArn: string, authorizerRequest: AuthorizerRequest) {
  const {
    body: _body,
    isBase64Encoded: _isBase64,
    ...event
  } = proxyEvent({
    ...authorizerRequest,
    authorization: undefined,
  });
  return { type: 'REQUEST', methodArn, ...event };
}
