import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { isKeyScope } from '../../../shared/contract/scopes.ts';
import { authorizerCacheTime } from '../../../infra/stack/stage.ts';
import { AuthorizerCache } from '../../../infra/local/gateway/authorizer.ts';
import type { Authorization } from '../../../infra/local/gateway/proxy-event.ts';
import type { Credential } from './authorization-check.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { breakResponse, breakCall, type Breakage } from './breakages.ts';
import { functionTimeout, type Ended, type Environment, type Pool } from './environment.ts';
import { functions } from './functions.ts';
import { isGranted } from './model/rules.ts';
import { gatewayResponse, type HttpCall, type HttpResponse, type Request } from './plan.ts';
import { Violation } from './violation.ts';

const arn = 'arn:aws:execute-api:us-east-1:000000000000:local/local';

/** Dependencies of the gateway. */
export interface Backend {
  time: VirtualTime;
  pool: Pool;
  breakage: Breakage | undefined;
  /** Called when an environment begins to serve a request. */
  onStart: (request: Request, environment: Environment) => void;
  /** Called with the authorizer's result, undefined for a refusal. @throws Violation */
  onAuthorized: (request: Request, credential: Credential, authorization: Authorization | undefined) => void;
  /** Number of awaits that the next invocation survives. */
  awaitsOf: () => number;
}

/** API Gateway of the service: the authorizer with its cache, then the endpoint's function. */
export class Gateway {
  readonly #backend: Backend;
  readonly #authorizations: AuthorizerCache;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#authorizations = new AuthorizerCache(() => backend.time.now);
  }

  /** Serves a request that is sent with this token. */
  async respond(request: Request, call: HttpCall, token: string): Promise<HttpResponse> {
    const endpoint = functions.endpoint(call.endpoint);
    const methodArn = `${arn}/${endpoint.method}/`;
    const credential = { token, isKey: isKeyScope(endpoint.scope) };
    const authorization = await this.#authorize(request, credential, { resource: endpoint.path, methodArn });
    if (!('context' in authorization)) return authorization;
    request.userId = authorization.context['userId'] ?? '';
    request.tokenId = Number(authorization.context['tokenId']);
    request.scopes = authorization.context['scopes']?.split(' ') ?? [];
    const { time, breakage } = this.#backend;
    const taken = breakCall(credential.isKey ? withKey(call, token) : call, breakage);
    const event = eventOf(request, taken, endpoint, authorization.context, time.now);
    const ended = await this.#invoke(request, (context) => endpoint.handler(event, context));
    if (ended.is !== 'value') return gatewayResponse(ended.is === 'timeout' ? 504 : 502);
    const { statusCode, body, headers = {} } = ended.value;
    const isAllowed =
      isGranted(request.scopes, endpoint.scope) &&
      (!endpoint.takesForms || isOnSite(call, authorization)) &&
      (!endpoint.takesEvents || isSigned(call, authorization, time.now));
    // Roles and the scopes of given tokens refuse more, where people and tokens are managed.
    const isBounded = /^\/v1\/(tokens|organization\/(members|invitations))/.test(endpoint.path);
    if (statusCode === 403 ? isAllowed && !isBounded : !isAllowed) {
      throw new Violation(
        'A 403 requires a token without the scope, or of another website, or a missing signature',
        { scopes: request.scopes, scope: endpoint.scope, sites: authorization.context['sites'] },
        statusCode,
      );
    }
    const response: HttpResponse = {
      status: statusCode,
      body: body === '' ? undefined : isText(headers) ? body : (JSON.parse(body) as unknown),
      headers: headers as Record<string, string>,
      isFromGateway: false,
    };
    return breakResponse(response, call, breakage);
  }

  async #authorize(
    request: Request,
    credential: Credential,
    asked: Pick<APIGatewayRequestAuthorizerEvent, 'resource' | 'methodArn'>,
  ): Promise<Authorization | HttpResponse> {
    const { token, isKey } = credential;
    // Without a key, API Gateway does not call the authorizer. The header is never empty here.
    if (isKey && token === '') return gatewayResponse(401);
    // Each authorizer has its own cache.
    const identity = `${isKey ? 'key' : 'Bearer'} ${token}`;
    const known = this.#authorizations.recall(identity);
    if (known) return known;
    const event = authorizerEvent(request, credential, asked);
    const ended = await this.#invoke(request, (context) => functions.authorize(event, context));
    if (ended.is === 'value') {
      const result = JSON.stringify(ended.value);
      const authorization = this.#authorizations.remember(identity, result, authorizerCacheTime);
      this.#backend.onAuthorized(request, credential, authorization);
      return authorization ?? gatewayResponse(500);
    }
    if (ended.is === 'error' && ended.error instanceof Error && ended.error.message === 'Unauthorized') {
      this.#backend.onAuthorized(request, credential, undefined);
      return gatewayResponse(401);
    }
    return gatewayResponse(500);
  }

  async #invoke<T>(request: Request, work: (context: Context) => Promise<T>): Promise<Ended<T>> {
    const { pool, time, onStart, awaitsOf } = this.#backend;
    const environment = await pool.take();
    onStart(request, environment);
    const end = time.now + functionTimeout;
    const context = {
      awsRequestId: `request-${request.number}`,
      getRemainingTimeInMillis: () => Math.max(0, Math.floor(end - time.now)),
    } as Context;
    const ended = await environment.run(request, awaitsOf(), () => work(context));
    pool.give(environment);
    return ended;
  }
}

const withKey = (call: HttpCall, key: string): HttpCall => ({ ...call, query: { ...call.query, key } });

/** True if a form comes from one of its token's websites, or from no website. */
function isOnSite({ headers = {} }: HttpCall, { context }: Authorization): boolean {
  const { Origin: origin = 'null' } = headers;
  return origin === 'null' || (context['sites'] ?? '').split(' ').includes(origin);
}

/** True for a call with the secret of its key, or if the key has no secret. */
function isSigned({ headers = {} }: HttpCall, { context }: Authorization, now: number): boolean {
  const { signingSecret = '', formerSecret = '', formerSecretUntil = '' } = context;
  const former = Date.parse(formerSecretUntil) > now ? [formerSecret] : [];
  const secrets = [signingSecret, ...former].flatMap((boxed) => boxed.split(':').slice(1));
  return (
    secrets.length === 0 ||
    [headers['X-Vapi-Secret'], headers['Authorization']].some((given) =>
      secrets.includes(given?.split(' ').at(-1) ?? ''),
    )
  );
}

const isText = (headers: object) =>
  'Content-Type' in headers && String(headers['Content-Type']).startsWith('text/');

/** Each request comes from its own address, so that no request counts against the limit of another. */
function authorizerEvent(
  { number }: Request,
  { token, isKey }: Credential,
  asked: Pick<APIGatewayRequestAuthorizerEvent, 'resource' | 'methodArn'>,
): APIGatewayRequestAuthorizerEvent {
  const event = {
    type: 'REQUEST',
    ...asked,
    headers: isKey ? {} : { Authorization: `Bearer ${token}` },
    ...parametersOf(isKey ? { key: token } : undefined),
    requestContext: { identity: { sourceIp: `request ${number}` } },
  };
  return event as unknown as APIGatewayRequestAuthorizerEvent;
}

function eventOf(
  { number }: Request,
  { params, query, body, headers }: HttpCall,
  { method, path }: { method: string; path: string },
  authorizer: Record<string, string>,
  now: number,
): APIGatewayProxyEvent {
  const event = {
    resource: path,
    path,
    httpMethod: method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...parametersOf(query),
    pathParameters: params ?? null,
    body: body ?? null,
    isBase64Encoded: false,
    requestContext: {
      authorizer,
      domainName: 'simulated.example.com',
      path,
      requestId: `request-${number}`,
      requestTimeEpoch: Math.floor(now),
    },
  };
  return event as unknown as APIGatewayProxyEvent;
}

/** Query parameters as an event contains them: the last value of each, and all values. */
function parametersOf(query: HttpCall['query']) {
  if (!query) return { queryStringParameters: null, multiValueQueryStringParameters: null };
  const all = Object.entries(query).map(([name, values]) => [name, [values].flat()] as const);
  return {
    queryStringParameters: Object.fromEntries(all.map(([name, values]) => [name, values.at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(all),
  };
}
