import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import {
  answersRecord,
  type Endpoint,
  type Input,
  type RepeatableResponse,
  type TakesKey,
  type TokenEndpoint,
} from '../contract/endpoint.ts';
import { isGranted, type Scope } from '../contract/scopes.ts';
import { readJson } from './json-body.ts';
import { identify, mayRead } from './principal.ts';
import { caching, ifMatchOf, recordResponse } from './entity-tags.ts';
import { errorResponses } from './error-responses.ts';
import {
  jsonResponse,
  saidResponse,
  textResponse,
  type IdentifiedEvent,
  type Middleware,
  type ServedEvent,
} from './event.ts';
import type { CarryOut } from './idempotency.ts';
import { withIdsAlone, withRelatedIdsAlone } from './id-alone.ts';
import { lambdaHandler, newStack } from './lambda-handler.ts';
import { requestLog } from './request-log.ts';
import { timeZoneHeader, type ReadTimeZone } from './time-zone-header.ts';
import { fixedFieldsOf, validate } from './validate.ts';
import { memoizeLast } from '../core/memoize-last.ts';
import type { FunctionPrincipal } from '../ledger/index.ts';

/**
 * Handler of an endpoint: typed input in, a value out. A handler never touches an event, a header or the
 * status of an error.
 */
export type Handler<E extends TokenEndpoint> = (
  request: Input<E> & {
    /** Sender of the request. Each write may change `principal.request.kept`: see `KeyedRequest`. */
    principal: FunctionPrincipal;
    /** Scopes of the principal's token. */
    scopes: readonly Scope[];
    /** True if the principal's token has the rights of this scope. */
    isAllowed: (scope: Scope) => boolean;
    /**
     * Compares the record that the request changes or deletes with the request's `If-Match`, and with the fields of the
     * body that never change. Call it with the record that the write itself has read, in the form of the API. Without a
     * record, call it with undefined.
     * @throws Failure `outdated` for another version; `invalid` for another value of a field that never changes
     */
    refuseOutdated: (record: unknown) => void;
    /** Logs an error that the response does not mention. */
    report: (error: unknown) => void;
  },
) => Promise<RepeatableResponse<E>> | RepeatableResponse<E>;

/**
 * Steps that only few endpoints need. The function of such an endpoint passes them in, so that other
 * functions do not bundle their code.
 */
export interface ExtraSteps<Body> {
  /** Wraps every response, errors included. The log sees the result. */
  wrapResponse?: Middleware;
  /** Returns a response for an event that does not go to the handler; undefined for any other event. */
  answerEarly?: (event: IdentifiedEvent) => APIGatewayProxyResult | undefined;
  /** Reads the body, instead of `readJson`. */
  readBody: (event: IdentifiedEvent) => Promise<Body>;
}

/** Step of an endpoint that tells the time zone, passed in for the same reason. */
interface ZoneStep {
  readTimeZone: ReadTimeZone;
  /** Validates a body that has times: see `namingOffsets`. */
  namingOffsets?: <T>(validate: () => T, sent: unknown, principal: FunctionPrincipal) => Promise<T>;
}

/**
 * Parts of a function besides its handler. A function that takes an `Idempotency-Key` says how to answer a repeated
 * request. A function that takes forms or events says how to read them. A function that tells the time zone says how to
 * read the zone.
 */
export type Parts<E extends Endpoint> = [
  ...(E extends TakesKey
    ? E extends { takesForms: true } | { takesEvents: true }
      ? [carryOut: CarryOut<E>, extra: ExtraSteps<Input<E>['body']>]
      : [carryOut: CarryOut<E>]
    : []),
  ...(E extends { tellsTimeZone: true } ? [zone: ZoneStep] : []),
];

type Part<E extends Endpoint> = CarryOut<E> | ExtraSteps<unknown> | ZoneStep;

/** The parts of a function by their kind. */
function partsOf<E extends Endpoint>(parts: readonly Part<E>[]) {
  const steps = parts.filter((part) => typeof part !== 'function');
  return {
    carryOut: parts.find((part) => typeof part === 'function'),
    extra: steps.find((part) => 'readBody' in part),
    zone: steps.find((part) => 'readTimeZone' in part),
  };
}

/**
 * The Lambda handler of an endpoint. Checks the token's scope, parses and validates the request, turns the
 * handler's result or error into a response, and writes one line of log.
 *
 * @example
 * // functions/companies/get-company.ts
 * export const handler = serve(getCompanyEndpoint, async ({ params, principal }) =>
 *   ok({ company: await getCompany(ledgerOf(principal), params.companyId) }),
 * );
 */
export function serve<E extends TokenEndpoint>(endpoint: E, handler: Handler<E>, ...parts: Parts<E>) {
  const { carryOut, extra, zone } = partsOf<E>(parts);
  const { body: bodySchema, cache, scope, record, related } = endpoint;
  // A response that clients may keep is often the same as the response before.
  const serialize = cache ? memoizeLast(JSON.stringify) : JSON.stringify;
  const respond = async (served: ServedEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const event = identify(endpoint, served, context);
    const { scopes } = event.identified;
    const isAllowed = (wanted: Scope) => isGranted(wanted, scopes);
    const early = extra?.answerEarly?.(event);
    if (early) return early;
    const sent = extra ? await extra.readBody(event) : bodySchema && readJson(event, context);
    const read = () => validate(endpoint, event, sent);
    const input = await (zone?.namingOffsets?.(read, sent, event.identified.principal) ?? read());
    const report = (error: unknown) => void event.reported.push(error);
    const [refuseOtherTags, refuseOtherFields] = [ifMatchOf(endpoint, event), fixedFieldsOf(endpoint, sent)];
    const refuseOutdated = (record: unknown) => {
      refuseOtherTags(record);
      refuseOtherFields(record);
    };
    const handle = (principal: FunctionPrincipal) =>
      handler({
        ...input,
        principal,
        scopes,
        isAllowed,
        refuseOutdated,
        report,
      });
    const response = await (carryOut
      ? carryOut(endpoint, event, { input, body: sent }, handle)
      : handle(event.identified.principal));
    if ('ids' in response) return jsonResponse(201 in endpoint.responses ? 201 : 200, response.ids);
    if ('said' in response) return saidResponse(response.status, response.said);
    if ('text' in response) return textResponse(response.status, response.text);
    const { status } = response;
    const body =
      !related || isAllowed(related.scope) ? response.body : withRelatedIdsAlone(endpoint, response.body);
    if (!mayRead(scope, scopes)) return jsonResponse(status, withIdsAlone(endpoint, body));
    return record && answersRecord(endpoint)
      ? recordResponse(endpoint, record, event, { status, body })
      : jsonResponse(status, body, serialize);
  };
  const stack = newStack();
  stack.use(requestLog(endpoint));
  if (extra?.wrapResponse) stack.use(extra.wrapResponse);
  if (zone) stack.use(timeZoneHeader(zone.readTimeZone));
  stack.use(errorResponses(scope));
  if (cache) stack.use(caching(endpoint, cache));
  return lambdaHandler(stack.handler(respond));
}
