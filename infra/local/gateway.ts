import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { AuthorizerCache, type Authorization } from './authorizer-cache.ts';
import { answerCoding, decompressed, headerOf, type Coding } from './compression.ts';
import type { Outcome } from './function-messages.ts';
import { region } from './intrinsics.ts';
import { proxyEvent } from './proxy-event.ts';
import { findRoute, pathVariables } from './routes.ts';
import type { Authorizer, GatewayResponse, MockRoute, Route, Template } from './template.ts';

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
  /** How the body is to be compressed, if it is. */
  coding?: Coding | undefined;
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
  UNSUPPORTED_MEDIA_TYPE: 415,
};

/**
 * What API Gateway answers before it knows which API is meant, so that no gateway response words it. Its documentation
 * names 413 and, for a body that it cannot decompress, 415.
 */
const earlyAnswers = {
  tooLarge: { status: 413, body: '{"message":"Request Too Long"}' },
  unsupported: { status: 415, body: '{"message":"Unsupported Media Type"}' },
};

/** @see earlyAnswers */
export const earlyAnswer = (problem: keyof typeof earlyAnswers): WireAnswer => ({
  ...earlyAnswers[problem],
  headers: { 'Content-Type': 'application/json' },
  outcomes: [],
});

type Invoke = (functionName: string, event: unknown) => Promise<Outcome>;

/** A request on its way to its integration. */
interface Routed {
  request: WireRequest;
  path: string;
  query: string;
  requestId: string;
  authorization: Authorization | undefined;
}

/** What an integration answered, or the type of the gateway response instead. */
type Integrated = string | { status: number; headers: Record<string, string>; body: string };

/** The API's ARN, up to its stage. */
const apiArn = `arn:aws:execute-api:${region}:000000000000:local/local`;

/** API Gateway's own limit on an integration, in milliseconds. */
const integrationTimeout = 29_000;

/**
 * The part of API Gateway's REST API that the template uses: routes, authorizer, proxy and mock integrations, gateway
 * responses, compression.
 */
export class Gateway {
  readonly #template: Template;
  readonly #invoke: Invoke;
  readonly #authorizations: AuthorizerCache;

  /** `now`: the clock of the authorizer's cache. */
  constructor(template: Template, invoke: Invoke, now: () => number = Date.now) {
    this.#template = template;
    this.#invoke = invoke;
    this.#authorizations = new AuthorizerCache(now);
  }

  async answer(given: WireRequest): Promise<WireAnswer> {
    const { minimumCompressionSize: minimumSize, routes } = this.#template;
    const coding = headerOf(given.headers, 'content-encoding');
    const body = await decompressed(given.body, coding, { minimumSize, maxBytes });
    if (typeof body === 'string') return earlyAnswer(body);
    const request = { ...given, body };
    const requestId = randomUUID();
    const outcomes: Outcome[] = [];
    const invoke: Invoke = async (functionName, event) => {
      const outcome = await this.#invoke(functionName, event);
      outcomes.push(outcome);
      return outcome;
    };
    const refuse = (type: string) => ({ ...this.#ownAnswer(type, requestId), outcomes });

    const [path = '', query = ''] = originForm(request.target).split(/\?(.*)/s);
    const route = findRoute(routes, request.method, path);
    if (!route) return refuse('MISSING_AUTHENTICATION_TOKEN');
    let authorization: Authorization | undefined;
    if (route.authorizer) {
      const methodArn = `${apiArn}/${request.method}${path}`;
      const result = await this.#authorize(route.authorizer, request, methodArn, invoke);
      if (typeof result === 'string') return refuse(result);
      authorization = result;
    }
    const routed = { request, path, query, requestId, authorization };
    const result =
      'mock' in route ? mocked(route, routed) : await askFunction(route, routed, { invoke, outcomes });
    if (typeof result === 'string') return refuse(result);
    const accepted = headerOf(request.headers, 'accept-encoding');
    return { ...result, coding: answerCoding(result, accepted, minimumSize), outcomes };
  }

  /** The authorizer's answer, or the type of the gateway response that refuses the request. */
  async #authorize(
    authorizer: Authorizer,
    request: WireRequest,
    methodArn: string,
    invoke: Invoke,
  ): Promise<Authorization | string> {
    const token = request.headers.findLast(([name]) => name.toLowerCase() === 'authorization')?.[1];
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
    const template = response?.ResponseTemplates['application/json'] ?? '{"message":null}';
    return {
      status: response?.StatusCode === undefined ? status : Number(response.StatusCode),
      headers: { 'Content-Type': 'application/json', ...ownHeaders(response, requestId) },
      body: template.replaceAll('$context.requestId', requestId),
    };
  }
}

/** What the route's function answers. */
async function askFunction(
  route: Route,
  routed: Routed,
  { invoke, outcomes }: { invoke: Invoke; outcomes: Outcome[] },
): Promise<Integrated> {
  const variables = pathVariables(route.path, routed.path);
  // What API Gateway does with such a path is not documented.
  if (!variables) return 'BAD_REQUEST_PARAMETERS';
  const event = proxyEvent({ ...routed, route, variables });
  const outcome = await Promise.race([invoke(route.functionName, event), timeLimit()]);
  if (outcome === undefined) return 'INTEGRATION_TIMEOUT';
  const Result = v.pipe(v.string(), v.maxBytes(maxBytes), v.parseJson(), ProxyResult);
  const result = v.safeParse(Result, outcome.result);
  if (!result.success) {
    if (!outcome.error) outcomes.push(noProxyResult(outcome, result.issues[0].message));
    return 'DEFAULT_5XX';
  }
  const { statusCode, headers, body } = result.output;
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: statusCode, headers: Object.fromEntries(texts), body };
}

/**
 * What a mock integration answers: where no request template is for the content type, that this is not supported.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
function mocked({ mock }: MockRoute, { request, requestId }: Routed): Integrated {
  const [type = ''] = headerOf(request.headers, 'content-type').split(';');
  const mediaType = type.trim().toLowerCase() || 'application/json';
  if (!mock.contentTypes.includes(mediaType)) return 'UNSUPPORTED_MEDIA_TYPE';
  const headers = Object.entries(mock.headers).map(([name, value]): [string, string] => [
    name,
    filled(value, requestId),
  ]);
  return {
    status: mock.status,
    headers: Object.fromEntries(headers),
    body: mock.body.replaceAll('$context.requestId', requestId),
  };
}

/** The path and query of a target that names the host too (RFC 9112, section 3.2.2). */
const originForm = (target: string) => target.replace(/^https?:\/\/[^/?]*/i, '');

/** Why API Gateway would reject a function's answer, for the terminal. */
function noProxyResult({ id }: Outcome, reason: string): Outcome {
  const message = `The function did not answer with a status and a body: ${reason}`;
  return { id, error: { type: 'MalformedProxyResponse', message, stack: message }, output: '' };
}

/** The value that a template gives a header: a quoted text, or the request's id. */
const filled = (value: string, requestId: string) =>
  value === 'context.requestId' ? requestId : value.slice(1, -1);

/** A gateway response's headers. */
function ownHeaders(response: GatewayResponse | undefined, requestId: string): Record<string, string> {
  const prefix = 'gatewayresponse.header.';
  const headers = Object.entries(response?.ResponseParameters ?? {}).map(
    ([name, value]): [string, string] => [name.slice(prefix.length), filled(value, requestId)],
  );
  return Object.fromEntries(headers);
}

function timeLimit(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, integrationTimeout, undefined).unref();
  });
}
