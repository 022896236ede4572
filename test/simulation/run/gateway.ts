import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { authorizerCacheTime } from '../../../infra/stack/authorizer-cache-time.ts';
import { AuthorizerCache, type Authorization } from '../../../infra/local/authorizer-cache.ts';
import type { Credential } from './authorization-check.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { breakResponse, breakCall, type Breakage } from './breakages.ts';
import { functionTimeout, type Ended, type Environment } from './environment.ts';
import { functions } from './functions.ts';
import { isGranted } from './model/scopes.ts';
import type { HttpCall } from './plan.ts';
import type { Pool } from './pool.ts';
import { gatewayResponse, type HttpResponse, type Request } from './request.ts';
import { Violation } from './violation.ts';

const arn = 'arn:aws:execute-api:us-east-1:000000000000:local/local';

/** What the gateway needs of the episode. */
export interface Backend {
  time: VirtualTime;
  pool: Pool;
  breakage: Breakage | undefined;
  /** Called when an environment begins to serve a request. */
  onStart: (request: Request, environment: Environment) => void;
  /** Called with what the authorizer said of a token, undefined for nothing. @throws Violation */
  onAuthorized: (request: Request, credential: Credential, authorization: Authorization | undefined) => void;
  /** How many awaits the next invocation lives through. */
  awaitsOf: () => number;
}

/** The API Gateway of the service: authorizer with its cache, then the endpoint's function. */
export class Gateway {
  readonly #backend: Backend;
  readonly #authorizations: AuthorizerCache;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#authorizations = new AuthorizerCache(() => backend.time.now);
  }

  /** Serves a request over HTTP that is sent with this token. */
  async respond(request: Request, call: HttpCall, token: string): Promise<HttpResponse> {
    const endpoint = functions.endpoint(call.endpoint);
    const methodArn = `${arn}/${endpoint.method}/`;
    const credential = { token, isKey: endpoint.scope === keyScope };
    const authorization = await this.#authorize(request, credential, { resource: endpoint.path, methodArn });
    if (!('context' in authorization)) return authorization;
    request.userId = authorization.context['userId'] ?? '';
    request.scopes = authorization.context['scopes']?.split(' ') ?? [];
    const { time, breakage } = this.#backend;
    const taken = breakCall(credential.isKey ? withKey(call, token) : call, breakage);
    const event = eventOf(request, taken, endpoint, authorization.context, time.now);
    const ended = await this.#invoke(request, (context) => endpoint.handler(event, context));
    if (ended.is !== 'value') return gatewayResponse(ended.is === 'timeout' ? 504 : 502);
    const { statusCode, body, headers = {} } = ended.value;
    const isAllowed =
      isGranted(request.scopes, endpoint.scope) && (!credential.isKey || isOnSite(call, authorization));
    if (isAllowed === (statusCode === 403)) {
      throw new Violation('A 403 is for a token without the scope of the endpoint, or of another site', {
        expected: { scopes: request.scopes, scope: endpoint.scope, sites: authorization.context['sites'] },
        observed: statusCode,
      });
    }
    const response: HttpResponse = {
      status: statusCode,
      body: body === '' ? undefined : isPage(headers) ? body : (JSON.parse(body) as unknown),
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
    // The gateway asks nobody where there is no key. The header is never empty.
    if (isKey && token === '') return gatewayResponse(401);
    // Each authorizer has a cache of its own.
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

/** The scope of what takes its token from the query. */
const keyScope = 'forms:submit';

const withKey = (call: HttpCall, key: string): HttpCall => ({ ...call, query: { ...call.query, key } });

/** Whether a form is from a site of its token's, or from none. */
function isOnSite({ headers = {} }: HttpCall, { context }: Authorization): boolean {
  const { Origin: origin = 'null' } = headers;
  return origin === 'null' || (context['sites'] ?? '').split(' ').includes(origin);
}

const isPage = (headers: object) =>
  'Content-Type' in headers && String(headers['Content-Type']).startsWith('text/html');

/** Each request comes from an address of its own, so that none is refused for what others sent. */
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

/** The query as an event has it: each parameter's last value, and all of them. */
function parametersOf(query: HttpCall['query']) {
  if (!query) return { queryStringParameters: null, multiValueQueryStringParameters: null };
  const all = Object.entries(query).map(([name, values]) => [name, [values].flat()] as const);
  return {
    queryStringParameters: Object.fromEntries(all.map(([name, values]) => [name, values.at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(all),
  };
}
