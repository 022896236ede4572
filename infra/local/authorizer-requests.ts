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
 * What an authorizer is asked about, and what its answer is cached by: a header, or a parameter of the query; of several
 * the last. Undefined where API Gateway asks nobody and answers 401, since the request lacks it or it is empty:
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

/** The event that an authorizer gets. */
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
