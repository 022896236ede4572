import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { AuthorizerCache, type Authorization } from './authorizer-cache.ts';
import type { Outcome } from './function-messages.ts';
import { region } from './intrinsics.ts';
import { proxyEvent } from './proxy-event.ts';
import { findRoute, pathVariables } from './routes.ts';
import type { Authorizer, GatewayResponse, Template } from './template.ts';

/** A request as it came over the wire. */
export interface WireRequest {
  method: string;
  /** Path and query, as in the request line. */
  target: string;
  /** In the order and case they came. */
  headers: [name: string, value: string][];
  body: Buffer;
  sourceIp: string;
}

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The outcomes of the functions that ran, the endpoint's last. */
  outcomes: Outcome[];
}

/** The largest request that reaches a function: Lambda takes 6 MB. */
export const maxBytes = 6 * 1024 * 1024;

const ProxyResult = v.object({
  statusCode: v.number(),
  headers: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  body: v.string(),
});

/** The status of a gateway response that sets none. */
const presetStatus: Record<string, number> = {
  ACCESS_DENIED: 403,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_PARAMETERS: 400,
  DEFAULT_5XX: 502,
  INTEGRATION_TIMEOUT: 504,
  MISSING_AUTHENTICATION_TOKEN: 403,
  UNAUTHORIZED: 401,
};

/** The API's ARN, up to its stage. */
const apiArn = `arn:aws:execute-api:${region}:000000000000:local/local`;

/** API Gateway's own limit on an integration, in milliseconds. */
const integrationTimeout = 29_000;

/**
 * The part of API Gateway's REST API that the template uses: routes, authorizer, proxy integration, gateway
 * responses.
 */
export class Gateway {
  readonly #template: Template;
  readonly #invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  readonly #authorizations: AuthorizerCache;

  /** `now`: the clock of the authorizer's cache. */
  constructor(
    template: Template,
    invoke: (functionName: string, event: unknown) => Promise<Outcome>,
    now: () => number = Date.now,
  ) {
    this.#template = template;
    this.#invoke = invoke;
    this.#authorizations = new AuthorizerCache(now);
  }

  async answer(request: WireRequest): Promise<WireAnswer> {
    const requestId = randomUUID();
    const outcomes: Outcome[] = [];
    const invoke = async (functionName: string, event: unknown) => {
      const outcome = await this.#invoke(functionName, event);
      outcomes.push(outcome);
      return outcome;
    };
    const refuse = (type: string) => ({ ...this.#ownAnswer(type, requestId), outcomes });

    const [path = '', query = ''] = originForm(request.target).split(/\?(.*)/s);
    const route = findRoute(this.#template.routes, request.method, path);
    if (!route) return refuse('MISSING_AUTHENTICATION_TOKEN');
    const variables = pathVariables(route.path, path);
    if (!variables) return refuse('BAD_REQUEST_PARAMETERS');

    let authorization: Authorization | undefined;
    if (route.authorizer) {
      const methodArn = `${apiArn}/${request.method}${path}`;
      const result = await this.#authorize(route.authorizer, request, methodArn, invoke);
      if (typeof result === 'string') return refuse(result);
      authorization = result;
    }
    const event = proxyEvent({ request, route, path, query, variables, requestId, authorization });
    const outcome = await Promise.race([invoke(route.functionName, event), timeLimit()]);
    if (outcome === undefined) return refuse('INTEGRATION_TIMEOUT');
    const Result = v.pipe(v.string(), v.maxBytes(maxBytes), v.parseJson(), ProxyResult);
    const result = v.safeParse(Result, outcome.result);
    if (!result.success) {
      if (!outcome.error) outcomes.push(noProxyResult(outcome, result.issues[0].message));
      return refuse('DEFAULT_5XX');
    }
    const { statusCode, headers, body } = result.output;
    const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return { status: statusCode, headers: Object.fromEntries(texts), body, outcomes };
  }

  /** The authorizer's answer, or the type of the gateway response that refuses the request. */
  async #authorize(
    authorizer: Authorizer,
    request: WireRequest,
    methodArn: string,
    invoke: (functionName: string, event: unknown) => Promise<Outcome>,
  ): Promise<Authorization | string> {
    const token = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
    if (!token || !new RegExp(authorizer.IdentityValidationExpression).test(token)) return 'UNAUTHORIZED';
    const known = this.#authorizations.recall(token);
    if (known) return known.allows(methodArn) ? known : 'ACCESS_DENIED';
    const outcome = await invoke(authorizer.functionName, {
      type: 'TOKEN',
      authorizationToken: token,
      methodArn,
    });
    if (outcome.error)
      return outcome.error.message === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE';
    const authorization = this.#authorizations.remember(
      token,
      outcome.result,
      authorizer.AuthorizerResultTtlInSeconds,
    );
    if (!authorization) return 'AUTHORIZER_FAILURE';
    return authorization.allows(methodArn) ? authorization : 'ACCESS_DENIED';
  }

  #ownAnswer(type: string, requestId: string): Omit<WireAnswer, 'outcomes'> {
    const { gatewayResponses } = this.#template;
    const status = presetStatus[type] ?? 500;
    const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const response = gatewayResponses.get(type) ?? gatewayResponses.get(fallback);
    const fill = (text: string) => text.replaceAll('$context.requestId', requestId);
    return {
      status: response?.StatusCode === undefined ? status : Number(response.StatusCode),
      headers: { 'Content-Type': 'application/json', ...ownHeaders(response, requestId) },
      body: fill(response?.ResponseTemplates['application/json'] ?? '{"message":null}'),
    };
  }
}

/** The path and query of a target that names the host too (RFC 9112, section 3.2.2). */
const originForm = (target: string) => target.replace(/^https?:\/\/[^/?]*/i, '');

/** Why API Gateway would reject a function's answer, for the terminal. */
function noProxyResult({ id }: Outcome, reason: string): Outcome {
  const message = `The function did not answer with a status and a body: ${reason}`;
  return { id, error: { type: 'MalformedProxyResponse', message, stack: message }, output: '' };
}

/** A gateway response's headers: each either a quoted text or the request's id. */
function ownHeaders(response: GatewayResponse | undefined, requestId: string): Record<string, string> {
  const prefix = 'gatewayresponse.header.';
  const headers = Object.entries(response?.ResponseParameters ?? {}).map(
    ([name, value]): [string, string] => [
      name.slice(prefix.length),
      value === 'context.requestId' ? requestId : value.slice(1, -1),
    ],
  );
  return Object.fromEntries(headers);
}

function timeLimit(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, integrationTimeout, undefined).unref();
  });
}
