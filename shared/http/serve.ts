import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  answersRecord,
  type Endpoint,
  type Input,
  type RepeatableResponse,
  type TakesKey,
} from '../contract/endpoint.ts';
import type { Scope } from '../contract/scopes.ts';
import { baseUrlOf } from './base-url.ts';
import { jsonBody } from './json-body.ts';
import { principalOf, identifyPrincipal, isAllowed, mayRead, type PrincipalOf } from './principal.ts';
import { caching, ifMatchOf, recordResponse } from './entity-tags.ts';
import { errorResponses } from './error-responses.ts';
import { jsonResponse, saidResponse, textResponse, type Middleware, type ServedEvent } from './event.ts';
import type { CarryOut } from './idempotency.ts';
import { withIdsAlone, withRelatedIdsAlone } from './id-alone.ts';
import { lambdaHandler, newStack } from './lambda-handler.ts';
import { requestLog } from './request-log.ts';
import { validate } from './validate.ts';
import { memoizeLast } from '../core/memoize-last.ts';

/**
 * Handler of an endpoint: typed input in, a value out. A handler never touches an event, a header or the
 * status of an error.
 */
export type Handler<E extends Endpoint> = (
  request: Input<E> & {
    principal: PrincipalOf<E>;
    /** Scopes of the principal's token. */
    scopes: readonly Scope[];
    /** True if the principal's token has the rights of this scope. */
    isAllowed: (scope: Scope) => boolean;
    /** Base URL of the API as the client addressed it: `https://api.example.com/v2`. */
    baseUrl: string;
    /**
     * Compares the record that the request changes or deletes with the request's `If-Match`. Does nothing without that
     * header. Call it with the record that the write itself has read, in the form of the API. Without a record, call it
     * with undefined.
     * @throws Failure `outdated`
     */
    refuseOutdated: (record: unknown) => void;
    /** Logs an error that the response does not mention. */
    report: (error: unknown) => void;
  },
) => Promise<RepeatableResponse<E>> | RepeatableResponse<E>;

/**
 * Middleware that only few endpoints need. The function of such an endpoint passes it in, so that other
 * functions do not bundle its code.
 */
export interface ExtraMiddleware {
  /** Wraps every response, errors included. The log sees the result. */
  wrapResponse?: Middleware;
  /** Reads the body, instead of `jsonBody`. The principal is known by then. */
  readBody: Middleware;
  /** Returns a response for an event that does not go to the handler; undefined for any other event. */
  answerEarly?: (event: ServedEvent) => APIGatewayProxyResult | undefined;
}

/**
 * Parts of a function besides its handler. A function that takes an `Idempotency-Key` says how to answer a repeated
 * request.
 */
export type Parts<E extends Endpoint> = E extends TakesKey
  ? [carryOut: CarryOut<E>, extra?: ExtraMiddleware]
  : [];

const optional = <E extends Endpoint>(parts: readonly [CarryOut<E>?, ExtraMiddleware?]) => parts;

/**
 * The Lambda handler of an endpoint. Checks the token's scope, parses and validates the request, turns the
 * handler's result or error into a response, and writes one line of log.
 */
export function serve<E extends Endpoint>(endpoint: E, handler: Handler<E>, ...parts: Parts<E>) {
  const [carryOut, extra] = optional<E>(parts);
  const { body: bodySchema, cache, scope, record, related } = endpoint;
  // A response that clients may keep is often the same as the response before.
  const serialize = cache ? memoizeLast(JSON.stringify) : JSON.stringify;
  const respond = async (event: ServedEvent): Promise<APIGatewayProxyResult> => {
    const early = extra?.answerEarly?.(event);
    if (early) return early;
    const input = validate(endpoint, event);
    const report = (error: unknown) => void event.reported.push(error);
    const handle = () =>
      handler({
        ...input,
        principal: principalOf(endpoint, event),
        scopes: event.scopes ?? [],
        isAllowed: (wanted) => isAllowed(event, wanted),
        refuseOutdated: ifMatchOf(endpoint, event),
        // A getter, because few handlers need the URL.
        get baseUrl() {
          return baseUrlOf(event);
        },
        report,
      });
    const response = await (carryOut ? carryOut(endpoint, event, input, handle) : handle());
    if ('ids' in response) return jsonResponse(201 in endpoint.responses ? 201 : 200, response.ids);
    if ('said' in response) return saidResponse(response.status, response.said);
    if ('text' in response) return textResponse(response.status, response.text);
    const { status } = response;
    const body =
      !related || isAllowed(event, related.scope)
        ? response.body
        : withRelatedIdsAlone(endpoint, response.body);
    if (!mayRead(endpoint, event)) return jsonResponse(status, withIdsAlone(endpoint, body));
    return record && answersRecord(endpoint)
      ? recordResponse(endpoint, record, event, { status, body })
      : jsonResponse(status, body, serialize);
  };
  const stack = newStack();
  stack.use(requestLog(endpoint));
  if (extra?.wrapResponse) stack.use(extra.wrapResponse);
  stack.use(errorResponses(endpoint));
  if (cache) stack.use(caching(endpoint, cache));
  if (scope !== 'public') stack.use(identifyPrincipal(scope, endpoint));
  if (extra) stack.use(extra.readBody);
  else if (bodySchema) stack.use(jsonBody());
  return lambdaHandler(stack.handler(respond));
}
