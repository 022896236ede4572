import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { accessLogFields } from '../../../infra/stack/access-log.ts';
import type { StageSettings } from '../../../infra/stack/stage-settings.ts';
import type { Stage } from '../../../infra/stack/stage.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { AuthorizerContext } from '../../../shared/http/caller.ts';
import { getLead, synthesizeStack, templateOf } from '../../support/made-up-stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'access-log-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function build(stage: Stage, settings: Partial<StageSettings> = {}) {
  synthesizeStack(folder, {
    stage,
    settings: { ...stageSettings[stage], ...settings },
    contracts: { operations: [getLead], workers: [] },
  });
  const { resources } = templateOf(folder);
  const of = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  const [[, apiStage]] = of('AWS::ApiGateway::Stage') as [ReturnType<typeof of>[0]];
  const [group] = of('AWS::Logs::LogGroup').filter(([, { Properties }]) =>
    String(Properties['LogGroupName']).endsWith('/access'),
  );
  return { of, apiStage, group: group! };
}

const { apiStage, group } = build('prod');
const { DestinationArn, Format } = apiStage.Properties['AccessLogSetting'] as {
  DestinationArn: unknown;
  Format: string;
};

/** Writes a line as API Gateway does: replaces each variable by its value, or by `-`. */
const lineOf = (values: Record<string, string>) =>
  Format.replaceAll(/\$context\.[\w.]+/g, (variable) => values[variable] ?? '-');

describe('a line of the access log', () => {
  test('is JSON with the same fields, each a text, whether API Gateway knows all of them or none', () => {
    const fields = [
      ...['requestId', 'extendedRequestId', 'time', 'organization', 'method', 'route', 'status', 'refusedBy'],
      'milliseconds',
      ...['functionMilliseconds', 'functionStatus', 'functionRequestId'],
      ...['authorizerMilliseconds', 'authorizerStatus', 'authorizerRequestId', 'webAcl'],
    ];
    const none: unknown = JSON.parse(lineOf({}));
    expect(none).toEqual(Object.fromEntries(fields.map((field) => [field, '-'])));
    const known = {
      [accessLogFields.requestId]: '0b6f1bd4-4f0c-4b1e-8a55-3f2f6d0b9f70',
      [accessLogFields.time]: '22/Nov/2026:09:00:00 +0000',
      [accessLogFields.organization]: '6H8EV880',
      [accessLogFields.method]: 'GET',
      [accessLogFields.route]: '/v1/leads/{leadId}',
      [accessLogFields.status]: '200',
      [accessLogFields.milliseconds]: '12',
      [accessLogFields.webAcl]: 'WAF_ALLOW',
    };
    const line = JSON.parse(lineOf(known)) as Record<string, string>;
    expect(Object.keys(line)).toEqual(fields);
    expect(Object.values(line).filter((value) => value !== '-')).toEqual(Object.values(known));
  });

  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
  test('has variables that API Gateway has, of which a client writes none but a UUID as requestId', () => {
    const safe = [
      ...[
        'requestId',
        'extendedRequestId',
        'requestTime',
        'httpMethod',
        'resourcePath',
        'status',
        'error.responseType',
      ],
      ...['responseLatency', 'integrationLatency', 'integrationStatus', 'awsEndpointRequestId'],
      'wafResponseCode',
      ...['authorizer.organization', 'authorizer.latency', 'authorizer.status', 'authorizer.requestId'],
    ];
    expect(
      Format.match(/\$[\w.]+/g)!.filter((name) => !safe.includes(name.replace('$context.', ''))),
    ).toEqual([]);
  });

  test('has the organization, by the name that the authorizer gives it', () => {
    const [, name] = /^\$context\.authorizer\.(\w+)$/.exec(accessLogFields.organization)!;
    expect(Object.keys(AuthorizerContext.entries)).toContain(name);
  });
});

describe('the access log', () => {
  test('is a log group of the stage, kept as long as the other logs', () => {
    expect(group).toEqual([
      expect.any(String),
      expect.objectContaining({
        Properties: { LogGroupName: '/SalesPipeline-prod/access', RetentionInDays: RetentionDays.ONE_YEAR },
        DeletionPolicy: 'RetainExceptOnCreate',
      }),
    ]);
    expect(JSON.stringify(DestinationArn)).toContain(`:log-group:",{"Ref":"${group[0]}"}`);
    const dev = build('dev', { logRetentionDays: RetentionDays.ONE_DAY });
    expect(dev.group[1]).toMatchObject({
      Properties: { LogGroupName: '/SalesPipeline-dev/access', RetentionInDays: 1 },
      DeletionPolicy: 'Delete',
    });
  });
});

describe("the account's role for it", () => {
  const arn = 'arn:aws:iam::123456789012:role/logs-of-apis';
  const partsOf = (accountLogRole: StageSettings['accountLogRole']) => {
    const { of, apiStage } = build('prod', { accountLogRole });
    const roles = of('AWS::IAM::Role').filter(([, { Properties }]) => 'ManagedPolicyArns' in Properties);
    return { accounts: of('AWS::ApiGateway::Account'), roles, apiStage };
  };
  const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

  test('is made before the stage, may push logs, and outlives the stack with the setting', () => {
    const { accounts, roles, apiStage } = partsOf('make');
    expect(roles.map(([, role]) => role)).toEqual([
      expect.objectContaining({
        Properties: {
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Action: 'sts:AssumeRole',
                Principal: { Service: 'apigateway.amazonaws.com' },
              },
            ],
          },
          ManagedPolicyArns: [
            {
              'Fn::Join': [
                '',
                [
                  'arn:',
                  { Ref: 'AWS::Partition' },
                  ':iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
                ],
              ],
            },
          ],
        },
        ...kept,
      }),
    ]);
    const [[role]] = roles as [(typeof roles)[0]];
    expect(accounts).toEqual([
      [
        expect.any(String),
        expect.objectContaining({
          Properties: { CloudWatchRoleArn: { 'Fn::GetAtt': [role, 'Arn'] } },
          ...kept,
        }),
      ],
    ]);
    expect(apiStage).toMatchObject({ DependsOn: [accounts[0]![0], role] });
  });

  test('can be one that is there, which the account then uses', () => {
    const { accounts, roles, apiStage } = partsOf(arn);
    expect(roles).toEqual([]);
    expect(accounts.map(([, account]) => account)).toEqual([
      expect.objectContaining({ Properties: { CloudWatchRoleArn: arn }, ...kept }),
    ]);
    expect(apiStage).toMatchObject({ DependsOn: [accounts[0]![0]] });
  });

  test('can stay as it is', () => {
    const { accounts, roles, apiStage } = partsOf('keep');
    expect([...accounts, ...roles]).toEqual([]);
    expect(apiStage).not.toHaveProperty('DependsOn');
    expect(apiStage.Properties).toHaveProperty('AccessLogSetting');
  });
});
