import type { GatewayResponse } from '../template/api-resources.ts';
import type { HttpResponse } from './http-message.ts';

/** Status of a gateway response that sets none. */
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
 * Responses that API Gateway gives before it knows the API, so that no gateway response words them. Its
 * documentation names 413, and 415 for a body that it cannot decompress.
 */
const earlyResponses = {
  tooLarge: { status: 413, body: '{"message":"Request Too Long"}' },
  unsupported: { status: 415, body: '{"message":"Unsupported Media Type"}' },
};

/** @see earlyResponses */
export const earlyResponse = (problem: keyof typeof earlyResponses): HttpResponse => ({
  ...earlyResponses[problem],
  headers: { 'Content-Type': 'application/json' },
  outcomes: [],
});

/** API Gateway's own response in place of an integration's: the gateway response of a type. */
export function gatewayResponse(
  gatewayResponses: ReadonlyMap<string, GatewayResponse>,
  type: string,
  requestId: string,
): Pick<HttpResponse, 'status' | 'headers' | 'body'> {
  const status = presetStatus[type] ?? 500;
  const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const response = gatewayResponses.get(type) ?? gatewayResponses.get(fallback);
  const template = response?.responseTemplates['application/json'] ?? '{"message":null}';
  return {
    status: response?.statusCode === undefined ? status : Number(response.statusCode),
    headers: { 'Content-Type': 'application/json', ...headersOf(response, requestId) },
    body: template.replaceAll('$context.requestId', requestId),
  };
}

function headersOf(response: GatewayResponse | undefined, requestId: string): Record<string, string> {
  const prefix = 'gatewayresponse.header.';
  const headers = Object.entries(response?.responseParameters ?? {}).map(
    ([name, value]): [string, string] => [name.slice(prefix.length), filled(value, requestId)],
  );
  return Object.fromEntries(headers);
}

/** Value of a header in a template: a quoted text, or the request's id. */
export const filled = (value: string, requestId: string) =>
  value === 'context.requestId' ? requestId : value.slice(1, -1);
