import * as v from 'valibot';
import type { Outcome } from '../functions/function-messages.ts';
import type { MockRoute, Route } from '../template/api.ts';
import type { Access } from '../template/logs.ts';
import { mediaTypeOf } from './compression.ts';
import { earlyResponse, filled } from './gateway-responses.ts';
import type { HttpRequest } from './http-message.ts';
import { type Authorization, proxyEvent } from './proxy-event.ts';
import { pathVariables } from './routes.ts';

/** Largest request for a function, and largest event and answer of a function: Lambda takes 6 MB. */
export const maxBytes = 6 * 1024 * 1024;

const ProxyResult = v.object({
  statusCode: v.number(),
  headers: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  body: v.string(),
});

/** API Gateway's own limit on an integration, in milliseconds. */
export const integrationTimeout = 29_000;

export type Invoke = (functionName: string, event: unknown) => Promise<Outcome>;

/** Access to the API before its response is known. */
export type PendingAccess = Omit<Access, 'status' | 'length' | 'milliseconds'>;

/** A request on its way to its integration. */
export interface RoutedRequest {
  request: HttpRequest;
  path: string;
  query: string;
  access: PendingAccess;
  authorization: Authorization | undefined;
  /** True if the function gets the body in Base64. */
  isBinary: boolean;
}

/** Function calls of a request, and their outcomes so far. */
export interface CallContext {
  invoke: Invoke;
  /** Milliseconds until the function must have answered. */
  timeLimit: number;
  outcomes: Outcome[];
}

/** Response of an integration, or the type of the gateway response instead. */
export type IntegrationResult = string | { status: number; headers: Record<string, string>; body: string };

/** Asks the route's function for the response. */
export async function askFunction(
  route: Route,
  routed: RoutedRequest,
  { invoke, timeLimit, outcomes }: CallContext,
): Promise<IntegrationResult> {
  const { access } = routed;
  const variables = pathVariables(route.path, routed.path);
  // API Gateway's handling of such a path is not documented.
  if (!variables) return 'BAD_REQUEST_PARAMETERS';
  const event = proxyEvent({ ...routed, route, variables, requestId: access.requestId });
  if (Buffer.byteLength(JSON.stringify(event)) > maxBytes) {
    access.integration = { status: 413, requestId: undefined, milliseconds: 0 };
    return earlyResponse('tooLarge');
  }
  const begun = performance.now();
  const outcome = await Promise.race([invoke(route.functionName, event), endOf(timeLimit)]);
  const milliseconds = Math.round(performance.now() - begun);
  // The status is Lambda's, which is 200 even if the function failed.
  access.integration = { status: outcome && 200, requestId: outcome?.id, milliseconds };
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
 * Response of a mock integration: UNSUPPORTED_MEDIA_TYPE if no request template is for the content type.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
export function mocked(
  { mock }: MockRoute,
  { request, access: { requestId } }: RoutedRequest,
): IntegrationResult {
  const mediaType = mediaTypeOf(request.headers) || 'application/json';
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

/** Explains to the terminal why API Gateway would reject a function's answer. */
function noProxyResult({ id }: Outcome, reason: string): Outcome {
  const message = `The function did not answer with a status and a body: ${reason}`;
  return { id, error: { type: 'MalformedProxyResponse', message, stack: message }, output: '' };
}

function endOf(timeLimit: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, timeLimit, undefined).unref();
  });
}
