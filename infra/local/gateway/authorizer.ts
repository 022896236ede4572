import * as v from 'valibot';
import type { Authorizer, MockRoute, Route } from '../template/api.ts';
import type { HttpRequest } from './http-message.ts';
import { proxyEvent, type Authorization } from './proxy-event.ts';

const Policy = v.object({
  principalId: v.string(),
  policyDocument: v.object({
    Statement: v.array(
      v.object({
        Effect: v.picklist(['Allow', 'Deny']),
        Resource: v.union([v.string(), v.array(v.string())]),
      }),
    ),
  }),
  context: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
});

/**
 * Caches the authorizers' answers for as long as the template says, as API Gateway does. The key is the
 * caller: the identity source and its value.
 */
export class AuthorizerCache {
  readonly #known = new Map<string, { authorization: Authorization; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  recall(caller: string): Authorization | undefined {
    const known = this.#known.get(caller);
    return known && known.until > this.#now() ? known.authorization : undefined;
  }

  /** Parses an authorizer's answer and caches it. Undefined if API Gateway would not accept the answer. */
  remember(caller: string, answer: string | undefined, seconds: number): Authorization | undefined {
    const result = v.safeParse(v.pipe(v.string(), v.parseJson(), Policy), answer);
    if (!result.success) return undefined;
    const { principalId, policyDocument, context } = result.output;
    const texts = Object.entries(context).map(([name, value]): [string, string] => [name, String(value)]);
    const authorization: Authorization = {
      context: { ...Object.fromEntries(texts), principalId },
      allows: (methodArn) => {
        const applying = policyDocument.Statement.filter(({ Resource }) =>
          [Resource].flat().some((pattern) => matches(pattern, methodArn)),
        );
        return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
      },
    };
    this.#known.set(caller, { authorization, until: this.#now() + seconds * 1000 });
    return authorization;
  }
}

/** True if a policy's resource covers an ARN. `*` stands for any text. */
function matches(pattern: string, arn: string): boolean {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    's',
  ).test(arn);
}

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
 * Finds the value that an authorizer is asked about, which is also the key of its cached answer. The value is
 * a header or a query parameter, the last if the request has several. Undefined if the value is missing or
 * empty; API Gateway then answers 401 without asking:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
 */
export function identityOf(
  authorizer: Authorizer,
  { request, query }: Pick<AuthorizerRequest, 'request' | 'query'>,
) {
  const [place, name = ''] = authorizer.identitySource.slice('method.request.'.length).split('.');
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
