import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readTemplate } from '../../../infra/local/template.ts';
import type { StageSettings } from '../../../infra/stack/stage-settings.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { allSettings, getLead, synthesizeStack, templateOf } from '../../support/made-up-stack.ts';
import { workersOfAllKinds } from '../../support/worker-kinds.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the stack of settings', () => {
  const contracts = { operations: [getLead], workers: workersOfAllKinds };
  const build = (settings: StageSettings) => {
    synthesizeStack(folder, { stage: 'prod', settings, contracts });
    const { resources, outputs } = templateOf(folder);
    const of = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
    const only = (type: string) => {
      const [first, ...others] = of(type).map(([name, { Properties }]) => ({ name, ...Properties }));
      expect(others).toEqual([]);
      return first;
    };
    return { of, only, outputs };
  };
  const all = build(allSettings);
  const plain = build(stageSettings.prod);

  test('keeps its logs for as long as is set, and takes so many requests', () => {
    for (const stack of [
      all,
      build({ ...allSettings, logRetentionDays: RetentionDays.ONE_MONTH, requestsPerSecond: 3 }),
    ]) {
      const isOther = stack !== all;
      for (const [, { Properties }] of stack.of('AWS::Logs::LogGroup'))
        expect(Properties['RetentionInDays']).toBe(isOther ? 30 : 365);
      expect(stack.only('AWS::ApiGateway::Stage')).toMatchObject({
        MethodSettings: [
          {
            HttpMethod: '*',
            ResourcePath: '/*',
            ThrottlingRateLimit: isOther ? 3 : 1000,
            ThrottlingBurstLimit: 2000,
          },
        ],
      });
    }
  });

  test('emails its alarms: dead letters of each worker, with what users lose, and an API that fails', () => {
    const topics = all.of('AWS::SNS::Topic').filter(([name]) => name.startsWith('Alarms'));
    const [[topic]] = topics as [[string, unknown]];
    const emails = all
      .of('AWS::SNS::Subscription')
      .filter(([, { Properties }]) => Properties['Protocol'] === 'email');
    expect(emails.map(([, { Properties }]) => Properties)).toEqual(
      allSettings.alarmAddresses.map((Endpoint) => ({
        Protocol: 'email',
        TopicArn: { Ref: topic },
        Endpoint,
      })),
    );
    const alarms = all.of('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
    for (const alarm of alarms) {
      expect(alarm).toMatchObject({
        AlarmActions: [{ Ref: topic }],
        OKActions: [{ Ref: topic }],
        TreatMissingData: 'notBreaching',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      });
    }
    const [errors, ...deadLetters] = alarms;
    expect(errors).toMatchObject({
      MetricName: '5XXError',
      Namespace: 'AWS/ApiGateway',
      Dimensions: [
        { Name: 'ApiName', Value: 'SalesPipeline-prod' },
        { Name: 'Stage', Value: { Ref: all.only('AWS::ApiGateway::Stage')!.name } },
      ],
      Statistic: 'Sum',
      Threshold: 5,
      Period: 300,
    });
    expect(deadLetters).toEqual(
      ['Timed', 'Streamed', 'Queued', 'Published'].map((name): unknown => {
        const [[queue]] = all.of('AWS::SQS::Queue').filter(([id]) => id.startsWith(`${name}DeadLetters`)) as [
          [string, unknown],
        ];
        return expect.objectContaining({
          AlarmDescription: `The worker ${name.toLowerCase()} has dead letters. Nobody knows. docs/operations.md says what to do.`,
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
          Statistic: 'Maximum',
          Threshold: 1,
        });
      }),
    );
  });

  test('lets the alarms of its own account alone publish, over TLS', () => {
    const [policy] = all.of('AWS::SNS::TopicPolicy').filter(([name]) => name.startsWith('Alarms'));
    const { Statement } = policy![1].Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] };
    expect(Statement).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sns:Publish',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('is behind the web ACL, and has its domain', () => {
    expect(all.only('AWS::WAFv2::WebACLAssociation')).toMatchObject({
      WebACLArn: allSettings.webAclArn,
      ResourceArn: {
        'Fn::Join': [
          '',
          expect.arrayContaining([{ Ref: all.only('AWS::ApiGateway::Stage')!.name }]) as unknown,
        ],
      },
    });
    const domain = all.only('AWS::ApiGateway::DomainName')!;
    expect(domain).toMatchObject({
      DomainName: 'api.example.com',
      RegionalCertificateArn: allSettings.certificateArn,
      SecurityPolicy: 'TLS_1_2',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    expect(all.only('AWS::ApiGateway::BasePathMapping')).toMatchObject({
      DomainName: { Ref: domain.name },
      RestApiId: { Ref: all.only('AWS::ApiGateway::RestApi')!.name },
      Stage: { Ref: all.only('AWS::ApiGateway::Stage')!.name },
    });
    expect(all.outputs['DomainTarget']).toMatchObject({
      Value: { 'Fn::GetAtt': [domain.name, 'RegionalDomainName'] },
    });
  });

  test('runs on the local machine with every setting, but not with a worker that it cannot call', () => {
    const run = (names: string[]) => {
      const workers = workersOfAllKinds.filter(({ worker: { name } }) => names.includes(name));
      synthesizeStack(folder, { stage: 'dev', settings: allSettings, contracts: { ...contracts, workers } });
      return readTemplate(folder);
    };
    expect(run(['timed']).schedules).toHaveLength(1);
    expect(() => run(['published'])).toThrow(/AWS::SNS::Subscription/);
  });

  test('has nothing of what is not set', () => {
    for (const type of [
      'AWS::CloudWatch::Alarm',
      'AWS::WAFv2::WebACLAssociation',
      'AWS::ApiGateway::DomainName',
      'AWS::ApiGateway::BasePathMapping',
    ])
      expect(plain.of(type)).toEqual([]);
    expect(plain.of('AWS::SNS::Topic').filter(([name]) => name.startsWith('Alarms'))).toEqual([]);
    expect(plain.outputs).not.toHaveProperty('DomainTarget');
  });
});
