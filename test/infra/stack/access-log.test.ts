import { expect, describe, test } from 'vitest';
import { accessLogFields } from '../../../infra/stack/access-log.ts';
import type { StageSettings } from '../../../infra/stack/settings-schema.ts';
import { AuthorizerContext } from '../../../shared/http/principal.ts';
import { templateWith } from '../../support/template/made-up-stack.ts';

const { one } = templateWith();
const { Format } = one('AWS::ApiGateway::Stage').Properties['AccessLogSetting'] as { Format: string };

/** Writes a line as API Gateway does: replaces each variable by its value, or by `-`. */
const lineOf = (values: Record<string, string | undefined>) =>
  Format.replaceAll(/\$context\.[\w.]+/g, (variable) => values[variable] ?? '-');

describe('a line of the access log', () => {
  test.each<[string, (at: number) => string | undefined, (at: number) => string]>([
    ['none', () => undefined, () => '-'],
    ['all', String, String],
  ])('is JSON with a text for each field if API Gateway knows %s of them', (_, given, shown) => {
    const fields = Object.entries(accessLogFields);
    const values = Object.fromEntries(fields.map(([, variable], at) => [variable, given(at)]));
    expect(JSON.parse(lineOf(values))).toEqual(
      Object.fromEntries(fields.map(([field], at) => [field, shown(at)])),
    );
  });

  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
  test('has variables that API Gateway has, of which a client writes none but a UUID as requestId', () => {
    const safe =
      'requestId extendedRequestId requestTime httpMethod resourcePath status error.responseType responseLatency ' +
      'integrationLatency integrationStatus awsEndpointRequestId wafResponseCode authorizer.organization ' +
      'authorizer.latency authorizer.status authorizer.requestId';
    const variables = Format.match(/\$[\w.]+/g)!.map((name) => name.replace('$context.', ''));
    expect(variables.filter((name) => !safe.split(' ').includes(name))).toEqual([]);
  });

  test('has the organization, by the name that the authorizer gives it', () => {
    const [, name] = /^\$context\.authorizer\.(\w+)$/.exec(accessLogFields.organization)!;
    expect(Object.keys(AuthorizerContext.entries)).toContain(name);
  });
});

describe("the account's role for it", () => {
  const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
  const partsOf = (accountLogRole: StageSettings['accountLogRole']) => {
    const { of, one } = templateWith({ settings: { accountLogRole } });
    const roles = of('AWS::IAM::Role').filter(([, { Properties }]) => 'ManagedPolicyArns' in Properties);
    return { accounts: of('AWS::ApiGateway::Account'), roles, apiStage: one('AWS::ApiGateway::Stage') };
  };

  test('is made before the stage, may push logs, and outlives the stack with the setting', () => {
    const { accounts, roles, apiStage } = partsOf('make');
    const [[id, role], ...others] = roles as [(typeof roles)[0]];
    expect(others).toEqual([]);
    expect(role).toMatchObject({
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [
            { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'apigateway.amazonaws.com' } },
          ],
        },
        ManagedPolicyArns: [
          { 'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(/PushToCloudWatchLogs$/)])] },
        ],
      },
      ...kept,
    });
    expect(role.Properties).not.toHaveProperty('Policies');
    expect(accounts).toMatchObject([
      [accounts[0]![0], { Properties: { CloudWatchRoleArn: { 'Fn::GetAtt': [id, 'Arn'] } }, ...kept }],
    ]);
    expect(apiStage).toMatchObject({ DependsOn: [accounts[0]![0], id] });
  });

  test('can be one that is there, which the account then uses', () => {
    const arn = 'arn:aws:iam::123456789012:role/logs-of-apis';
    const { accounts, roles, apiStage } = partsOf(arn);
    expect(roles).toEqual([]);
    expect(accounts).toMatchObject([[accounts[0]![0], { Properties: { CloudWatchRoleArn: arn }, ...kept }]]);
    expect(apiStage).toMatchObject({ DependsOn: [accounts[0]![0]] });
  });

  test('can stay as it is', () => {
    const { accounts, roles, apiStage } = partsOf('keep');
    expect([...accounts, ...roles]).toEqual([]);
    expect(apiStage).not.toHaveProperty('DependsOn');
    expect(apiStage.Properties).toHaveProperty('AccessLogSetting');
  });
});
