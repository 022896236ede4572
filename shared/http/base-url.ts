import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * Where the API is, as whoever sent the request addressed it: scheme, host, and the path before the endpoint's own, which is the
 * stage or what a custom domain puts there. The host is API Gateway's, which takes requests for its own domains alone, and
 * not the `Host` header. Header names are in lower case.
 */
export function baseUrlOf({ resource, headers, requestContext }: APIGatewayProxyEvent): string {
  const { domainName = 'localhost', path } = requestContext;
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  // What the resource adds has as many segments as it: their values can differ, and a slash can follow.
  const segments = path.replace(/\/+$/, '').split('/');
  const added = resource.split('/').filter((segment) => segment !== '').length;
  return `${scheme}://${domainName}${segments.slice(0, segments.length - added).join('/')}`;
}
