import type { APIGatewayProxyEvent } from 'aws-lambda';

interface BaseUrlParts extends Pick<APIGatewayProxyEvent, 'resource' | 'headers'> {
  /** Less in a test call of API Gateway's console. */
  requestContext: Partial<APIGatewayProxyEvent['requestContext']>;
}

/**
 * The API's base URL as the client addressed it: scheme, host, and the path before the endpoint's own (the
 * stage, or a custom domain's base path). The host is the domain that API Gateway matched, not the `Host`
 * header, which a client could forge. Header names are in lower case.
 */
export function baseUrlOf({ resource, headers, requestContext }: BaseUrlParts): string {
  const { domainName = 'localhost', path = resource } = requestContext;
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  // Drops as many segments as the resource has, since variables differ from their values.
  const segments = segmentsOf(path);
  const before = segments.slice(0, segments.length - segmentsOf(resource).length);
  return `${scheme}://${[domainName, ...before].join('/')}`;
}

/** API Gateway takes `/openapi/` and `//openapi` for `/openapi`, so empty segments do not count. */
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');
