import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * The API's base URL as the client addressed it: scheme, host, and the path before the endpoint's own (the
 * stage, or a custom domain's base path). The host is the domain that API Gateway matched, not the `Host`
 * header, which a client could forge. Header names are in lower case.
 */
export function baseUrlOf({ resource, headers, requestContext }: APIGatewayProxyEvent): string {
  const { domainName = 'localhost', path } = requestContext;
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  // Drops as many segments as the resource has, since variables differ from their values; a slash may follow.
  const segments = path.replace(/\/+$/, '').split('/');
  const added = resource.split('/').filter((segment) => segment !== '').length;
  return `${scheme}://${domainName}${segments.slice(0, segments.length - added).join('/')}`;
}
