import { App, Stack } from 'aws-cdk-lib/core';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { describe, expect, inject, test } from 'vitest';
import type { Operation } from '../../../infra/functions.ts';
import { Api } from '../../../infra/stack/api.ts';
import { stackNameOf } from '../../../infra/stack/resource-names.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { getLead, submitForm, templateOf, templateWith } from '../../support/template/made-up-stack.ts';
import { unthrottled } from '../../support/machine/unthrottled.ts';

const { definition, of, one, resources } = templateOf(inject('assembly'), stackNameOf('dev'));
const operations = Object.entries(definition.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    ...operation,
    integration: operation['x-amazon-apigateway-integration'],
  })),
);
const mocks = operations.filter(({ integration }) => integration.type === 'mock');
const authorizers = Object.fromEntries(
  Object.entries(definition.components.securitySchemes).map(([name, scheme]) => [
    name,
    scheme['x-amazon-apigateway-authorizer'],
  ]),
);

describe('the definition', () => {
  test('has whatever an import would delete, and names its endpoint where an import reads it', () => {
    const { Name, Body, ...others } = one('AWS::ApiGateway::RestApi').Properties;
    expect([Name, Body]).toEqual(['SalesPipeline-dev', definition]);
    expect(others).toEqual({
      Mode: 'overwrite',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
      Tags: expect.any(Array) as unknown,
    });
    expect(definition).toMatchObject({
      openapi: '3.0.1',
      info: { title: 'SalesPipeline-dev' },
      'x-amazon-apigateway-binary-media-types': ['multipart/form-data'],
      'x-amazon-apigateway-minimum-compression-size': 1024,
    });
    const types = new Set(Object.values(resources).map(({ Type }) => Type));
    expect([...types].filter((type) => type.startsWith('AWS::ApiGateway::')).sort()).toEqual(
      ['Account', 'Deployment', 'RestApi', 'Stage'].map((name) => `AWS::ApiGateway::${name}`),
    );
  });

  // API Gateway: "only one unique variable path part is allowed".
  test('has one name for the variables at a place', () => {
    const variables = operations.flatMap(({ path }) =>
      [...path.matchAll(/\{\w+\}/g)].map(({ 0: name, index }) => ({ place: path.slice(0, index), name })),
    );
    const places = Map.groupBy(variables, ({ place }) => place);
    expect(places.size).toBeGreaterThan(5);
    for (const [place, found] of places) expect(new Set(found.map(({ name }) => name)).size, place).toBe(1);
  });
});

describe('API Gateway', () => {
  const roles = of('AWS::IAM::Role').filter(([, { Properties }]) =>
    JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('apigateway.amazonaws.com'),
  );
  const [[role, { Properties: roleProperties }], ...otherRoles] = roles.filter(
    ([, { Properties }]) => 'Policies' in Properties,
  ) as [(typeof roles)[0]];
  const roleArn = { 'Fn::GetAtt': [role, 'Arn'] };

  test('invokes functions through one role, which may do nothing but that', () => {
    expect(otherRoles).toEqual([]);
    // The other role is for logs: access-log.test.ts.
    expect(roles).toHaveLength(2);
    expect(roleProperties['Policies']).toEqual([
      {
        PolicyName: expect.any(String) as string,
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Action: 'lambda:InvokeFunction',
              Effect: 'Allow',
              Resource: {
                'Fn::Join': [
                  '',
                  [
                    ...['arn:', { Ref: 'AWS::Partition' }, ':lambda:', { Ref: 'AWS::Region' }],
                    ...[':', { Ref: 'AWS::AccountId' }, ':function:SalesPipeline-dev-api-*'],
                  ],
                ],
              },
            },
          ],
        },
      },
    ]);
    expect(roleProperties).not.toHaveProperty('ManagedPolicyArns');
    expect(of('AWS::IAM::Policy')).toEqual([]);
  });

  test('has that role at every operation of an endpoint, and at the authorizers', () => {
    const proxies = operations.filter((operation) => !mocks.includes(operation));
    expect(proxies.length).toBeGreaterThan(20);
    for (const { integration } of proxies)
      expect(integration).toMatchObject({ type: 'aws_proxy', httpMethod: 'POST', credentials: roleArn });
    expect(Object.keys(authorizers)).toHaveLength(2);
    for (const authorizer of Object.values(authorizers))
      expect(authorizer['authorizerCredentials']).toEqual(roleArn);
  });

  test('has no permission at any function', () => {
    const permissions = of('AWS::Lambda::Permission').map(([, { Properties }]) => Properties['Principal']);
    expect(permissions).not.toContain('apigateway.amazonaws.com');
  });

  test('can invoke the functions that it has to, which are there before it, and no worker', () => {
    const invoked = JSON.stringify(definition);
    for (const [id, { Properties }] of of('AWS::Lambda::Function')) {
      const isCovered = String(Properties['FunctionName']).startsWith('SalesPipeline-dev-api-');
      const isReferredTo = invoked.includes(`{"Fn::GetAtt":["${id}","Arn"]}`);
      expect({ id, isCovered }).toEqual({ id, isCovered: isReferredTo });
    }
  });
});

const keyedPaths = ['/v1/calls/events', '/v1/forms/submissions', '/v1/receptionist/ringing'];

describe('tokens in the query', () => {
  const { TokenAuthorizer: byToken, KeyAuthorizer: byKey } = authorizers;

  test('are asked of the same function, by `key` alone, and remembered for a minute', () => {
    // An authorizer of the type `token` would not learn a request's address.
    expect(byToken).toMatchObject({
      type: 'request',
      identitySource: 'method.request.header.Authorization',
      authorizerResultTtlInSeconds: 60,
    });
    expect(byKey).toEqual({ ...byToken, identitySource: 'method.request.querystring.key' });
    const [[, { Properties: asked }]] = of('AWS::Lambda::Function').filter(([, { Properties }]) =>
      String(Properties['FunctionName']).endsWith('-api-Authorizer'),
    ) as [ReturnType<typeof of>[0]];
    expect(asked).toHaveProperty('Environment.Variables.KEYED_PATHS', keyedPaths.join(' '));
    expect(asked).toHaveProperty(
      'Environment.Variables.REFUSED_TOKENS_PER_MINUTE',
      unthrottled.refusedTokensPerAddressPerMinute,
    );
  });

  test('are taken where keys are for, with what a browser asks before a form, by the same function', () => {
    const keyed = operations.filter(({ security }) => security?.some((names) => 'KeyAuthorizer' in names));
    expect(keyed.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'options /v1/forms/submissions',
      ...keyedPaths.map((path) => `post ${path}`),
    ]);
    const asked = operations.filter(({ method }) => method === 'options');
    expect(asked.map(({ path }) => path)).toEqual(['/v1/forms/preview', '/v1/forms/submissions']);
    for (const { path } of asked)
      expect(definition.paths[path]!['options']).toEqual(definition.paths[path]!['post']);
  });
});

test('HEAD is served where GET needs no token, by the same function, and nowhere else', () => {
  const read = operations.filter(({ method, security }) => method === 'get' && !security);
  expect(read.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/docs', '/openapi', '/{proxy+}']),
  );
  const asked = operations.filter(({ method }) => method === 'head');
  expect(asked.map(({ path }) => path)).toEqual(read.map(({ path }) => path));
  for (const { path } of asked)
    expect(definition.paths[path]!['head']).toEqual(definition.paths[path]!['get']);
});

// Answers to a content type without a template, and to an Authorization header where there is no method.
test.each(['UNSUPPORTED_MEDIA_TYPE', 'INVALID_SIGNATURE', 'EXPIRED_TOKEN', 'RESOURCE_NOT_FOUND'])(
  'a path that no endpoint has is 404 where API Gateway takes it for %s',
  (type) => {
    const responses = definition['x-amazon-apigateway-gateway-responses'];
    expect(responses[type]).toEqual(responses['MISSING_AUTHENTICATION_TOKEN']);
  },
);

describe('a deployment of the API', () => {
  const { id } = templateWith().one('AWS::ApiGateway::Deployment');
  const changed = (change: Partial<Operation['endpoint']>): Operation => ({
    ...getLead,
    endpoint: { ...getLead.endpoint, ...change },
  });
  const idWith = (options: Parameters<typeof templateWith>[0]) =>
    templateWith(options).one('AWS::ApiGateway::Deployment').id;

  test.each([
    ['a path', [changed({ path: '/v1/other/{leadId}' })]],
    ['a method', [changed({ method: 'PUT' })]],
    ['an authorizer', [changed({ scope: 'public' })]],
    ['a further operation', [getLead, submitForm]],
  ])('is another after a change of %s', (_, changed) => {
    expect(idWith({ operations: changed })).not.toBe(id);
  });

  test('is the same after any other change', () => {
    const settings = { requestsPerSecond: 1, tracing: true };
    expect(idWith({ settings, operations: [changed({ summary: 'Another', access: 'readPage' })] })).toBe(id);
  });

  test('is another after a change of the names of functions, which it has noted', () => {
    const idFor = (functionPrefix: string) => {
      const stack = new Stack(new App(), 'Stack');
      const handler = new LambdaFunction(stack, 'Handler', {
        functionName: `${functionPrefix}Handler`,
        runtime: Runtime.NODEJS_24_X,
        handler: 'index.handler',
        code: Code.fromInline('1'),
      });
      const api = new Api(stack, 'Api', {
        stage: 'dev',
        settings: stageSettings.dev,
        accessLog: new LogGroup(stack, 'Log'),
        functionPrefix,
        authorizer: handler,
        routes: [{ endpoint: getLead.endpoint, handler }],
        publicFunctions: [],
      });
      return stack.resolve(api.latestDeployment!.deploymentId) as unknown;
    };
    expect(idFor('a-')).toEqual(idFor('a-'));
    expect(idFor('b-')).not.toEqual(idFor('a-'));
  });
});
