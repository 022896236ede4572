import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { baseUrlOf } from '../../../shared/http/base-url.ts';

const aws = 'abc123.execute-api.ap-southeast-2.amazonaws.com';

/**
 * Event for an address. At a stage's own address, `requestContext.path` has the stage and `event.path` has
 * not.
 */
const event = (resource: string, path: string, domainName: string, headers = {}) =>
  ({
    resource,
    headers: { 'x-forwarded-proto': 'https', ...headers },
    requestContext: { domainName, path },
  }) as unknown as APIGatewayProxyEvent;

test.each([
  ['the stage of an address of AWS', '/openapi', '/dev/openapi', aws, `https://${aws}/dev`],
  ['a custom domain', '/openapi', '/openapi', 'api.example.com', 'https://api.example.com'],
  ['its base path', '/openapi', '/crm/openapi', 'api.example.com', 'https://api.example.com/crm'],
  ['a slash at the end', '/openapi', '/dev/openapi/', aws, `https://${aws}/dev`],
  ['slashes that do not count', '/openapi', '/dev//openapi//', aws, `https://${aws}/dev`],
  [
    'what variables stand for',
    '/v1/leads/{leadId}/activities',
    '/dev/v1/leads/a%2Fb/activities',
    aws,
    `https://${aws}/dev`,
  ],
  ['the root of a stage', '/', '/dev/', aws, `https://${aws}/dev`],
  ['the root of a domain', '/', '/', 'api.example.com', 'https://api.example.com'],
])('%s', (_, resource, path, domainName, url) => {
  expect(baseUrlOf(event(resource, path, domainName))).toBe(url);
});

test('a path of any length that no route has', () => {
  const unknown = { ...event('/{proxy+}', '/dev/v1/x', aws), pathParameters: { proxy: 'v1/x' } };
  expect(baseUrlOf(unknown)).toBe(`https://${aws}/dev`);
});

test("is of this computer for a test call of API Gateway's console", () => {
  expect(baseUrlOf({ resource: '/openapi', headers: {}, requestContext: {} })).toBe('https://localhost');
});

test('is what API Gateway says, whatever the headers say', () => {
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
  };
  expect(baseUrlOf(event('/openapi', '/dev/openapi', aws, headers))).toBe(`https://${aws}/dev`);
});

test('is https unless API Gateway says http', () => {
  const schemeFor = (value?: string) =>
    baseUrlOf(event('/openapi', '/openapi', 'localhost:3000', { 'x-forwarded-proto': value }));
  expect(schemeFor('http')).toBe('http://localhost:3000');
  expect(schemeFor('javascript')).toBe('https://localhost:3000');
  expect(schemeFor(undefined)).toBe('https://localhost:3000');
});
