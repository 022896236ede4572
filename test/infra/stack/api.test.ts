import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { unthrottled } from '../../support/unthrottled.ts';

type Json = Record<string, unknown>;
interface Resource {
  Type: string;
  Properties: Json;
}
interface Integration extends Json {
  Type: string;
  Credentials?: unknown;
  IntegrationResponses: Json[];
}

const template = readFileSync(join(inject('assembly'), 'SalesPipeline-dev.template.json'), 'utf8');
const { Resources } = JSON.parse(template) as { Resources: Record<string, Resource> };
const of = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === `AWS::${type}`);

const methods = of('ApiGateway::Method').map(([, { Properties }]) => ({
  ...(Properties as { HttpMethod: string; ResourceId: unknown; AuthorizationType: string }),
  integration: Properties['Integration'] as Integration,
}));
const mocks = methods.filter(({ integration }) => integration.Type === 'MOCK');

describe('API Gateway', () => {
  const roles = of('IAM::Role').filter(([, { Properties }]) =>
    JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('apigateway.amazonaws.com'),
  );
  const [[role, { Properties: roleProperties }], ...otherRoles] = roles.filter(
    ([, { Properties }]) => 'Policies' in Properties,
  ) as [[string, Resource]];
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
    expect(of('IAM::Policy')).toEqual([]);
  });

  test('has that role at every method of an endpoint, and at the authorizers', () => {
    const proxies = methods.filter((method) => !mocks.includes(method));
    expect(proxies.length).toBeGreaterThan(20);
    for (const { integration } of proxies)
      expect(integration).toMatchObject({ Type: 'AWS_PROXY', Credentials: roleArn });
    const authorizers = of('ApiGateway::Authorizer');
    expect(authorizers).toHaveLength(2);
    for (const [, { Properties }] of authorizers)
      expect(Properties['AuthorizerCredentials']).toEqual(roleArn);
  });

  test('has no permission at any function', () => {
    const permissions = of('Lambda::Permission').map(([, { Properties }]) => Properties['Principal']);
    expect(permissions).not.toContain('apigateway.amazonaws.com');
  });

  test('can invoke the functions that it has to, and no worker', () => {
    const invoked = JSON.stringify([methods, of('ApiGateway::Authorizer')]);
    for (const [id, { Properties }] of of('Lambda::Function')) {
      const isCovered = String(Properties['FunctionName']).startsWith('SalesPipeline-dev-api-');
      expect({ id, isCovered }).toEqual({ id, isCovered: invoked.includes(`"${id}"`) });
    }
  });

  test('compresses answers of 1 KB or more', () => {
    const [[, { Properties }]] = of('ApiGateway::RestApi') as [[string, Resource]];
    expect(Properties['MinimumCompressionSize']).toBe(1024);
  });

  test('leaves the bytes of files as they are', () => {
    const [[, { Properties }]] = of('ApiGateway::RestApi') as [[string, Resource]];
    expect(Properties['BinaryMediaTypes']).toEqual(['multipart/form-data']);
  });
});

describe('tokens in the query', () => {
  const [[keyAuthorizer, { Properties }]] = of('ApiGateway::Authorizer').filter(
    ([, authorizer]) => authorizer.Properties['IdentitySource'] === 'method.request.querystring.key',
  ) as [[string, Resource]];
  const [[, tokenAuthorizer]] = of('ApiGateway::Authorizer').filter(([id]) => id !== keyAuthorizer) as [
    [string, Resource],
  ];

  test('are asked of the same function, by `key` alone, and remembered as long', () => {
    expect(Properties).toMatchObject({
      Type: 'REQUEST',
      AuthorizerUri: tokenAuthorizer.Properties['AuthorizerUri'],
      AuthorizerResultTtlInSeconds: tokenAuthorizer.Properties['AuthorizerResultTtlInSeconds'] as number,
    });
    // An authorizer of the type `TOKEN` would not learn a request's address.
    expect(tokenAuthorizer.Properties).toMatchObject({
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Authorization',
    });
    const [[, { Properties: asked }]] = of('Lambda::Function').filter(([, { Properties }]) =>
      String(Properties['FunctionName']).endsWith('-api-Authorizer'),
    ) as [[string, Resource]];
    expect(asked).toHaveProperty('Environment.Variables.KEYED_PATHS', '/v1/forms/submissions');
    expect(asked).toHaveProperty(
      'Environment.Variables.REFUSED_TOKENS_PER_MINUTE',
      unthrottled.refusedTokensPerAddressPerMinute,
    );
  });

  test('are taken where forms are sent, with what a browser asks before, by the same function, and nowhere else', () => {
    const pathOf = (method: Json): unknown => {
      const { Ref: id } = method['ResourceId'] as { Ref: string };
      return Resources[id]!.Properties['PathPart'];
    };
    const keyed = methods.filter((method) =>
      JSON.stringify((method as Json)['AuthorizerId'] ?? '').includes(keyAuthorizer),
    );
    expect(keyed.map((method) => `${method.HttpMethod} ${String(pathOf(method as Json))}`).sort()).toEqual([
      'OPTIONS submissions',
      'POST submissions',
    ]);
    const [one, other] = keyed.map(({ integration, AuthorizationType }) => ({
      integration,
      AuthorizationType,
    }));
    expect(one).toEqual(other);
    expect(one!.AuthorizationType).toBe('CUSTOM');
    expect(methods.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS')).toHaveLength(1);
  });
});

describe('a path or method that no endpoint has', () => {
  const [[api]] = of('ApiGateway::RestApi') as [[string, Resource]];
  const root = { 'Fn::GetAtt': [api, 'RootResourceId'] };
  const responses = new Map(
    of('ApiGateway::GatewayResponse').map(([, { Properties }]) => [Properties['ResponseType'], Properties]),
  );

  test('is answered by a mock integration, on `/` and below it, that asks for no token', () => {
    const [[proxy]] = of('ApiGateway::Resource').filter(
      ([, { Properties }]) => Properties['PathPart'] === '{proxy+}',
    ) as [[string, Resource]];
    expect(Resources[proxy]!.Properties['ParentId']).toEqual(root);
    expect(mocks.map(({ ResourceId }) => ResourceId)).toEqual(expect.arrayContaining([root, { Ref: proxy }]));
    expect(mocks).toHaveLength(2);
    for (const mock of mocks) expect(mock).toMatchObject({ HttpMethod: 'ANY', AuthorizationType: 'NONE' });
  });

  test('is so as by the gateway response, to the letter, whatever it carries', () => {
    const { StatusCode, ResponseTemplates } = responses.get('MISSING_AUTHENTICATION_TOKEN')!;
    expect(StatusCode).toBe('404');
    for (const { integration } of mocks) {
      expect(integration).toMatchObject({
        PassthroughBehavior: 'NEVER',
        RequestTemplates: { 'application/json': '{"statusCode": 404}' },
        IntegrationResponses: [
          {
            StatusCode,
            ResponseTemplates,
            ResponseParameters: {
              'method.response.header.Content-Type': "'application/json'",
              'method.response.header.X-Request-Id': 'context.requestId',
            },
          },
        ],
      });
    }
  });

  // Answers to a content type without a template, and to an Authorization header where there is no method.
  test.each(['UNSUPPORTED_MEDIA_TYPE', 'INVALID_SIGNATURE', 'EXPIRED_TOKEN', 'RESOURCE_NOT_FOUND'])(
    'is 404 where API Gateway takes it for %s',
    (type) => {
      const { StatusCode, ResponseTemplates } = responses.get(type)!;
      expect({ StatusCode, ResponseTemplates }).toEqual({
        StatusCode: '404',
        ResponseTemplates: responses.get('MISSING_AUTHENTICATION_TOKEN')!['ResponseTemplates'],
      });
    },
  );

  test('is not what an authorizer denies: that stays 403', () => {
    expect(responses.get('ACCESS_DENIED')).toMatchObject({ StatusCode: '403' });
  });
});
