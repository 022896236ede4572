import { afterEach, expect, test, vi } from 'vitest';
import { dynamodbEndpoint } from '../../../infra/local/engine/dynamodb-endpoint.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['http://localhost:8000', 'http://localhost:8000'],
  ['http://localhost:8000/', 'http://localhost:8000'],
  ['HTTPS://DynamoDB.example:443', 'https://dynamodb.example'],
  ['http://[::1]:8000', 'http://[::1]:8000'],
])('DYNAMODB_ENDPOINT may be %s', (given, endpoint) => {
  vi.stubEnv('DYNAMODB_ENDPOINT', given);
  expect(dynamodbEndpoint()).toBe(endpoint);
});

test.each([
  'nowhere',
  'localhost:8000',
  'ftp://localhost:8000',
  'http://',
  'http://x/a',
  'http://x?a',
  'http://x#a',
])('DYNAMODB_ENDPOINT cannot be %s', (given) => {
  vi.stubEnv('DYNAMODB_ENDPOINT', given);
  expect(dynamodbEndpoint).toThrow(
    `DYNAMODB_ENDPOINT is ${given}, but must be http:// or https:// with a host and a port and nothing after them, such as http://localhost:8000.`,
  );
});

test('its password is not printed', () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', 'http://me:secret@localhost:8000');
  expect(dynamodbEndpoint).toThrow(
    /^DYNAMODB_ENDPOINT holds a user name or a password, which DynamoDB does not take: leave them out\.$/,
  );
});

test.each([
  'https://dynamodb.us-east-1.amazonaws.com',
  'https://dynamodb.cn-north-1.amazonaws.com.cn',
  'https://dynamodb.us-east-1.api.aws',
  'https://123456789012.ddb.us-east-1.amazonaws.com:443',
])('%s is for a deployment', (given) => {
  vi.stubEnv('DYNAMODB_ENDPOINT', given);
  expect(dynamodbEndpoint).toThrow(
    `DYNAMODB_ENDPOINT is ${given}, which is AWS itself, and this machine has no credentials there: deploy instead`,
  );
});
