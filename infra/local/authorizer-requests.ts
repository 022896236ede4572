import type { WireRequest } from './gateway.ts';
import { proxyEvent } from './proxy-event.ts';
import type { Authorizer, MockRoute, Route } from './api-methods.ts';

/** A request on its way to an authorizer. */
interface Asking {
  request: WireRequest;
  route: Route | MockRoute;
  path: string;
  query: string;
  requestId: string;
  variables: Record<string, string>;
}

/**
 * What an authorizer is asked about, and what its answer is cached by: the `Authorization` header, or a parameter of the
 * query; of several the last. Undefined where API Gateway asks nobody and answers 401, since the request lacks it or it is not of
 * the authorizer's form: https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export function identityOf(authorizer: Authorizer, { request, query }: Pick<Asking, 'request' | 'query'>) {
  if (authorizer.Type === 'REQUEST') {
    const name = authorizer.IdentitySource.slice('method.request.querystring.'.length);
    return new URLSearchParams(query).getAll(name).at(-1) || undefined;
  }
  const token = request.headers.findLast(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const isOfForm = new RegExp(authorizer.IdentityValidationExpression).test(token);
  return token !== '' && isOfForm ? token : undefined;
}

/** The event that an authorizer gets. */
export function authorizerEvent(authorizer: Authorizer, identity: string, methodArn: string, asking: Asking) {
  if (authorizer.Type === 'TOKEN') return { type: 'TOKEN', authorizationToken: identity, methodArn };
  const {
    body: _body,
    isBase64Encoded: _isBase64,
    ...event
  } = proxyEvent({
    ...asking,
    authorization: undefined,
  });
  return { type: 'REQUEST', methodArn, ...event };
}
