import type { APIGatewayProxyEvent } from 'aws-lambda';

interface BaseUrlParts extends Pick<APIGatewayProxyEvent, 'resource' | 'headers'> {
  /** Optional: a test call of API Gateway's console leaves fields out. */
  requestContext: Partial<APIGatewayProxyEvent['requestContext']>;
  pathParameters?: APIGatewayProxyEvent['pathParameters'];
}

/**
 * Returns the API's base URL in the form that the client used: scheme, host, and the path before the endpoint's path.
 * This first path is the stage, or the base path of a custom domain. The host is the domain that API Gateway matched,
 * because a client could forge the `Host` header. Header names must be in lower case.
 */
export function baseUrlOf({ resource, headers, requestContext, pathParameters }: BaseUrlParts): string {
  const { domainName = 'localhost', path = resource } = requestContext;
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  // Drops as many segments as the resource has. A path variable can differ from its value, so the texts of path and
  // resource cannot be compared.
  const segments = segmentsOf(path);
  const own = segmentsOf(resource.replace('{proxy+}', pathParameters?.['proxy'] ?? ''));
  const before = segments.slice(0, Math.max(0, segments.length - own.length));
  return `${scheme}://${[domainName, ...before].join('/')}`;
}

/**
 * Splits a path into its segments. Drops empty ones: API Gateway takes `/openapi/` and `//openapi` for
 * `/openapi`.
 */
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');
