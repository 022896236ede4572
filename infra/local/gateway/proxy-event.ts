import type { APIGatewayProxyEvent } from 'aws-lambda';
import { accountId } from '../arns.ts';
import type { MockRoute, Route } from '../template/api.ts';
import type { HttpRequest } from './http-message.ts';

/** Answer of a Lambda authorizer for a caller. */
export interface Authorization {
  /** Becomes `requestContext.authorizer` of the event, where API Gateway makes every value a string. */
  context: Record<string, string>;
  allows(methodArn: string): boolean;
}

interface Parts {
  request: HttpRequest;
  route: Route | MockRoute;
  path: string;
  query: string;
  variables: Record<string, string>;
  requestId: string;
  authorization: Authorization | undefined;
  /** True for a body in Base64. Otherwise it is text, with U+FFFD for invalid UTF-8. */
  isBinary?: boolean;
}

/**
 * Builds the event of a function behind a proxy integration.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function proxyEvent({
  request,
  route,
  path,
  query,
  variables,
  requestId,
  authorization,
  isBinary = false,
}: Parts) {
  const headers = grouped([...request.headers, ['X-Forwarded-Proto', 'http']]);
  const parameters = grouped([...new URLSearchParams(query)]);
  const body = request.body.toString(isBinary ? 'base64' : 'utf8');
  return {
    resource: route.path,
    path,
    httpMethod: request.method,
    headers: last(headers) ?? {},
    multiValueHeaders: headers,
    queryStringParameters: last(parameters),
    multiValueQueryStringParameters: Object.keys(parameters).length > 0 ? parameters : null,
    pathParameters: Object.keys(variables).length > 0 ? variables : null,
    stageVariables: null,
    body: body === '' ? null : body,
    isBase64Encoded: isBinary && body !== '',
    requestContext: {
      accountId,
      apiId: 'local',
      authorizer: authorization?.context,
      domainName: domainOf(headers),
      httpMethod: request.method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: request.sourceIp,
        user: null,
        userAgent: headers['user-agent']?.[0] ?? null,
        userArn: null,
      },
      path,
      protocol: 'HTTP/1.1',
      requestId,
      requestTimeEpoch: Date.now(),
      resourceId: route.path,
      resourcePath: route.path,
      stage: 'local',
    },
  } satisfies APIGatewayProxyEvent;
}

/** Value of the `Host` header, which the server has checked. HTTP/1.0 requests may lack it. */
function domainOf(headers: Record<string, string[]>): string {
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host');
  return host?.[1].at(-1) ?? 'localhost';
}

function grouped(pairs: [string, string][]): Record<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
}

/** Keeps the last of several values, as API Gateway does. */
function last(groups: Record<string, string[]>): Record<string, string> | null {
  const entries = Object.entries(groups).map(([name, values]) => [name, values.at(-1) ?? ''] as const);
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
