import { randomUUID } from 'node:crypto';
import type { Outcome } from '../functions/function-messages.ts';
import { accountId, region } from '../arns.ts';
import type { Api, Authorizer } from '../template/api.ts';
import type { Access, FunctionCall } from '../template/logs.ts';
import { AuthorizerCache, authorizerEvent, identityOf } from './authorizer.ts';
import type { Authorization } from './proxy-event.ts';
import { answerCoding, decompressed, headerOf, mediaTypeOf } from './compression.ts';
import { earlyResponse, gatewayResponse } from './gateway-responses.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import {
  askFunction,
  integrationTimeout,
  type CallContext,
  type IntegrationResult,
  type Invoke,
  maxBytes,
  mocked,
  type PendingAccess,
} from './integrations.ts';
import { findRoute, pathVariables } from './routes.ts';

/** ARN of the API, up to its stage. */
const apiArn = `arn:aws:execute-api:${region}:${accountId}:local/local`;

/**
 * The part of API Gateway's REST API that the template uses: routes, authorizer, proxy and mock integrations,
 * gateway responses, compression.
 */
export class Gateway {
  readonly #api: Api;
  readonly #invoke: Invoke;
  readonly #now: () => number;
  readonly #onAccess: (access: Access) => void;
  readonly #timeLimit: number;
  readonly #authorizations: AuthorizerCache;

  /**
   * @param now clock of the authorizer's cache
   * @param onAccess receives every request that reached the API
   * @param timeLimit milliseconds until a function must have answered
   */
  constructor(
    api: Api,
    invoke: Invoke,
    now: () => number = Date.now,
    onAccess: (access: Access) => void = () => undefined,
    timeLimit: number = integrationTimeout,
  ) {
    this.#api = api;
    this.#invoke = invoke;
    this.#now = now;
    this.#onAccess = onAccess;
    this.#timeLimit = timeLimit;
    this.#authorizations = new AuthorizerCache(now);
  }

  async answer(given: HttpRequest): Promise<HttpResponse> {
    const startedAt = performance.now();
    const access: PendingAccess = { requestId: randomUUID(), at: this.#now(), method: given.method };
    const logAccess = ({ status, body }: Pick<HttpResponse, 'status' | 'body'>) => {
      const milliseconds = Math.round(performance.now() - startedAt);
      this.#onAccess({ ...access, status, length: Buffer.byteLength(body), milliseconds });
    };
    const { minimumCompressionSize: minimumSize, gatewayResponses } = this.#api;
    const coding = headerOf(given.headers, 'content-encoding');
    const body = await decompressed(given.body, coding, { minimumSize, maxBytes });
    // API Gateway logs no access that it refuses this early:
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html
    if (typeof body === 'string') return earlyResponse(body);
    const request = { ...given, body };
    const outcomes: Outcome[] = [];
    const invoke: Invoke = async (functionName, event) => {
      const outcome = await this.#invoke(functionName, event);
      outcomes.push(outcome);
      return outcome;
    };
    const result = await this.#integrate(request, access, { invoke, outcomes });
    if (typeof result === 'string') access.responseType = result;
    const answer =
      typeof result === 'string' ? gatewayResponse(gatewayResponses, result, access.requestId) : result;
    logAccess(answer);
    if (typeof result === 'string') return { ...answer, outcomes };
    const accepted = headerOf(request.headers, 'accept-encoding');
    return { ...answer, coding: answerCoding(answer, accepted, minimumSize), outcomes };
  }

  /** Finds the route, asks its authorizer, and then its integration. */
  async #integrate(
    request: HttpRequest,
    access: PendingAccess,
    { invoke, outcomes }: Pick<CallContext, 'invoke' | 'outcomes'>,
  ): Promise<IntegrationResult> {
    const [path = '', query = ''] = originForm(request.target).split(/\?(.*)/s);
    const route = findRoute(this.#api.routes, request.method, path);
    if (!route) return 'MISSING_AUTHENTICATION_TOKEN';
    access.route = route.path;
    let authorization: Authorization | undefined;
    if (route.authorizer) {
      const { authorizer } = route;
      const variables = pathVariables(route.path, path) ?? {};
      const authorizerRequest = { request, route, path, query, variables, requestId: access.requestId };
      const identity = identityOf(authorizer, authorizerRequest);
      if (identity === undefined) return 'UNAUTHORIZED';
      // The same value from another identity source is another caller.
      const caller = `${authorizer.identitySource} ${identity}`;
      const methodArn = `${apiArn}/${request.method}${path}`;
      const ask = async () => {
        const begun = performance.now();
        const event = authorizerEvent(methodArn, authorizerRequest);
        const outcome = await invoke(authorizer.functionName, event);
        access.authorizing = authorizingOf(outcome, performance.now() - begun);
        return outcome;
      };
      const result = await this.#authorize(authorizer, { caller, methodArn, ask });
      if (typeof result === 'string') return result;
      authorization = result;
      access.authorizer = authorization.context;
    }
    const isBinary = this.#api.binaryMediaTypes?.includes(mediaTypeOf(request.headers)) ?? false;
    const routed = { request, path, query, access, authorization, isBinary };
    if ('mock' in route) return mocked(route, routed);
    return askFunction(route, routed, { invoke, timeLimit: this.#timeLimit, outcomes });
  }

  /** Authorizer's answer, or the type of the gateway response that refuses the request. */
  async #authorize(
    { authorizerResultTtlInSeconds }: Authorizer,
    { caller, methodArn, ask }: { caller: string; methodArn: string; ask: () => Promise<Outcome> },
  ): Promise<Authorization | string> {
    const known = this.#authorizations.recall(caller);
    if (known) return known.allows(methodArn) ? known : 'ACCESS_DENIED';
    const outcome = await ask();
    if (outcome.error)
      return outcome.error.message === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE';
    const authorization = this.#authorizations.remember(caller, outcome.result, authorizerResultTtlInSeconds);
    if (!authorization) return 'AUTHORIZER_FAILURE';
    return authorization.allows(methodArn) ? authorization : 'ACCESS_DENIED';
  }
}

/** Path and query of a target, without the host that it may name (RFC 9112, section 3.2.2). */
const originForm = (target: string) => target.replace(/^https?:\/\/[^/?]*/i, '');

/** Authorizer's call, as the access log shows it. */
function authorizingOf({ id, error }: Outcome, milliseconds: number): FunctionCall {
  const status = !error ? 200 : error.message === 'Unauthorized' ? 401 : 500;
  return { status, requestId: id, milliseconds: Math.round(milliseconds) };
}
