import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { newOrganization, engine, type TestOrganization } from '../../support/world.ts';
import { contextWith, linesOf } from './invocation.ts';

type Authorizer = (
  event: APIGatewayTokenAuthorizerEvent,
  context: Context,
) => Promise<APIGatewayAuthorizerResult>;

const namespace = 'SalesPipeline-test';
let handler: Authorizer;
let organization: TestOrganization;
beforeAll(async () => {
  vi.stubEnv('METRICS_NAMESPACE', namespace);
  vi.stubEnv('TABLE_NAME', inject('tableName'));
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', engine.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  organization = await newOrganization();
  // It reads its table's name, and the address, as it is loaded.
  ({ handler } = await import('../../../functions/authorizer/authorize.ts'));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Asks the authorizer as API Gateway would; tells its answer or its error, and the one line of log. */
async function authorize(token: string, remaining = 15_000) {
  const event: APIGatewayTokenAuthorizerEvent = {
    type: 'TOKEN',
    authorizationToken: `Bearer ${token}`,
    methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/dev/GET/v1/leads',
  };
  const { result, lines } = await linesOf(() => Promise.allSettled([handler(event, contextWith(remaining))]));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(token);
  return { outcome: result[0], line: JSON.parse(lines[0]!) as Record<string, unknown> };
}

const cost = { writeUnits: 0, transactions: 0, writes: 0 };
const embedded = (...Metrics: { Name: string; Unit: string }[]) => ({
  Timestamp: expect.any(Number) as number,
  CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics }],
});

test('a token is one line with its organization, and metrics of what reading it cost and how long it took', async () => {
  const { outcome, line } = await authorize(organization.token);
  expect(outcome).toMatchObject({ value: { context: { organization: organization.code } } });
  expect(line).toEqual({
    level: 'info',
    requestId: 'lambda-1',
    operation: 'authorize',
    organization: organization.code,
    status: 200,
    milliseconds: expect.any(Number) as number,
    calls: 1,
    readUnits: 1,
    ...cost,
    _aws: embedded({ Name: 'readUnits', Unit: 'Count' }, { Name: 'milliseconds', Unit: 'Milliseconds' }),
  });
});

test('what is no token is a line of its own, without a metric', async () => {
  const { outcome, line } = await authorize('sk_live_x');
  expect(outcome).toMatchObject({ reason: { message: 'Unauthorized' } });
  expect(line).toMatchObject({ level: 'info', status: 401, calls: 0 });
  expect(line).not.toHaveProperty('_aws');
});

test('a token that cannot be read in time fails, without a metric and without what the error holds', async () => {
  const { outcome, line } = await authorize(organization.token, 1000);
  // Lambda logs every field of what is thrown.
  const reason = new Error('The token could not be checked: the line of log says why');
  expect(outcome).toStrictEqual({ status: 'rejected', reason });
  expect(line).toMatchObject({ level: 'error', status: 500, refusals: 1, error: { name: 'Failure' } });
  // It is answered 500, which the access log counts.
  expect(line).not.toHaveProperty('_aws');
});
