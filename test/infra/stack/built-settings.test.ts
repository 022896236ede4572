import { describe, expect, test } from 'vitest';
import type { StageSettings } from '../../../infra/stack/settings-schema.ts';
import { allSettings, templateWith } from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';

describe('the stack of settings', () => {
  const build = (settings: Partial<StageSettings> = {}) =>
    templateWith({ settings, workers: workersOfEachKind });
  const all = build(allSettings);
  const plain = build();

  test('keeps its topics and subscriptions: they are for good', () => {
    const types = ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SNS::Subscription'];
    const ids = types.flatMap(all.data.of).map(([id]) => id);
    const instead =
      'Do not change these ids: under another one, CloudFormation fails on the name of the topic, or makes a new subscription. ' +
      'Then nobody is told of alarms before following the link of another email, and the queue gets no texts. ' +
      'Put the construct back where it was.';
    expect(ids, instead).toEqual([
      ...['Texts0AC1F062', 'Alarms04B5A0BF', 'TextsPolicyA682DD04', 'AlarmsPolicy5C860CFE'],
      'TextedQueueMadeUpdataTexts69B2AA70C7ED0D7A',
      ...['AlarmsannexamplecomFD1FC3ED', 'Alarmsbobexamplecom99A1451B'],
    ]);
  });

  test('traces every function and the API, if that is set', () => {
    const functions = all.of('AWS::Lambda::Function');
    expect(functions).toHaveLength(1 + 1 + workersOfEachKind.length);
    const roles = new Map(all.of('AWS::IAM::Role'));
    for (const [, { Properties }] of functions) {
      expect(Properties['TracingConfig']).toEqual({ Mode: 'Active' });
      const { 'Fn::GetAtt': role } = Properties['Role'] as { 'Fn::GetAtt': [string, string] };
      const policies = roles.get(role[0])!.Properties['Policies'] as {
        PolicyName: string;
        PolicyDocument: { Statement: unknown[] };
      }[];
      const granted = policies.find(({ PolicyName }) => PolicyName === 'lambda')!.PolicyDocument.Statement;
      expect(granted).toContainEqual({
        Effect: 'Allow',
        Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
        Resource: '*',
      });
    }
    expect(all.one('AWS::ApiGateway::Stage').Properties).toMatchObject({ TracingEnabled: true });
    expect(plain.one('AWS::ApiGateway::Stage').Properties).toMatchObject({ TracingEnabled: false });
    for (const [, { Properties }] of plain.of('AWS::Lambda::Function'))
      expect(Properties).not.toHaveProperty('TracingConfig');
    expect(JSON.stringify(plain.of('AWS::IAM::Role'))).not.toContain('xray:');
  });

  test('reserves concurrency for the operations that are named, and for no other function', () => {
    const reserved = ({ of }: typeof all) =>
      of('AWS::Lambda::Function')
        .map(([, { Properties }]) => [Properties['FunctionName'], Properties['ReservedConcurrentExecutions']])
        .filter(([, count]) => count !== undefined);
    expect(reserved(all)).toEqual([['SalesPipeline-prod-api-GetLead', 5]]);
    expect(reserved(plain)).toEqual([]);
  });

  test('has its domain', () => {
    const domain = all.one('AWS::ApiGateway::DomainName');
    expect(domain.Properties).toMatchObject({
      DomainName: 'api.example.com',
      RegionalCertificateArn: allSettings.certificateArn,
      SecurityPolicy: 'TLS_1_2',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    expect(all.one('AWS::ApiGateway::BasePathMapping').Properties).toMatchObject({
      DomainName: { Ref: domain.id },
      RestApiId: { Ref: all.one('AWS::ApiGateway::RestApi').id },
      Stage: { Ref: all.one('AWS::ApiGateway::Stage').id },
    });
    expect(all.outputs['DomainTarget']).toMatchObject({
      Value: { 'Fn::GetAtt': [domain.id, 'RegionalDomainName'] },
    });
  });

  test('has nothing of what is not set', () => {
    for (const type of ['AWS::ApiGateway::DomainName', 'AWS::ApiGateway::BasePathMapping'])
      expect(plain.of(type)).toEqual([]);
    expect(plain.outputs).not.toHaveProperty('DomainTarget');
  });
});
