import { CfnResource, TagManager } from 'aws-cdk-lib/core';
import { describe, expect, inject, test } from 'vitest';
import { resolve } from '../../../infra/local/intrinsics.ts';
import { stackNameOf } from '../../../infra/stack/resource-names.ts';
import {
  alarmAddresses,
  allSettings,
  getLead,
  sendSms,
  synthesizeStacks,
  templateOf,
  templateWith,
} from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';
import { newFolder } from '../../support/new-folder.ts';

const contracts = { operations: [getLead, sendSms], workers: workersOfEachKind };
const dev = templateOf(inject('assembly'), stackNameOf('dev'));
const prod = templateWith({ settings: allSettings, ...contracts });
const quiet = templateWith({ settings: { ...allSettings, alarmAddresses: 'none' }, ...contracts });

/** Types of resources that another deployment makes again. */
const goneTypes = ['AWS::SNS::Subscription', 'AWS::SSM::Parameter'];

/** Property that names a resource of the data, by its type. */
const nameProperties = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
};

describe.each([
  ['dev', dev],
  ['prod', prod],
] as const)('the service of %s', (stage, service) => {
  const { data } = service;

  test('holds nothing that its data has, so that no change of it touches a table, a log, a topic or its policy', () => {
    const kept = [...Object.keys(nameProperties), 'AWS::SNS::TopicPolicy'];
    expect(kept.map((type) => data.of(type).length)).toEqual([1, 3, 2, 2, 2]);
    // The other queues are the service's own.
    const gone = kept.filter((type) => type !== 'AWS::SQS::Queue');
    for (const type of [...gone, 'AWS::SNS::Subscription']) expect(service.of(type)).toEqual([]);
  });

  test('names all of it as it is called, and nothing else', () => {
    const text = JSON.stringify(resolve(service.resources));
    const named = [
      ...text.matchAll(/"TABLE_NAME":"([^"]+)"/g),
      ...text.matchAll(/:dynamodb:[^:"]+:\d+:table\/([^"/]+)/g),
      ...text.matchAll(/"LogGroup(?:Name)?":"([^"]+)"/g),
      ...text.matchAll(/:log-group:([^":]+)/g),
      ...text.matchAll(/:s[nq]s:[^:"]+:\d+:([^"]+)/g),
      ...text.matchAll(/"QueueName","Value":"(SalesPipeline-[^"]+)"/g),
    ].map(([, name]) => name);
    const names = Object.entries(nameProperties).flatMap(([type, property]) =>
      data.of(type).map(([, { Properties }]) => Properties[property]),
    );
    expect([...new Set(named)].sort()).toEqual(names.sort());
  });

  test('is deployed after the data, and takes no value of its stack, which could then not change', () => {
    expect(service.after).toEqual([expect.stringMatching(/-data$/)]);
    expect(data.after).toEqual([]);
    for (const { resources, outputs } of [service, data])
      expect(JSON.stringify([resources, outputs])).not.toMatch(/ImportValue|GetStackOutput|"Export"/);
  });

  test(`${stage === 'dev' ? 'can' : 'cannot'} be deleted by one command, and leaves but the role for logs of the account`, () => {
    expect(service.terminationProtection).toBe(stage !== 'dev');
    const kept = Object.values(service.resources).filter(({ DeletionPolicy = 'Delete' }) =>
      DeletionPolicy.startsWith('Retain'),
    );
    expect(kept.map(({ Type }) => Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
  });

  test(`leaves data that ${stage === 'dev' ? 'goes' : 'stays'} with its stack, but for who is emailed, texts, and parameters`, () => {
    expect(data.terminationProtection).toBe(stage !== 'dev');
    for (const [id, { Type, DeletionPolicy = 'Delete' }] of Object.entries(data.resources)) {
      const goes = stage === 'dev' || goneTypes.includes(Type) || /^(Texts|Backup(?!Vault))/.test(id);
      expect({ id, DeletionPolicy }).toEqual({
        id,
        DeletionPolicy: goes ? 'Delete' : 'RetainExceptOnCreate',
      });
    }
  });
});

describe('a topic', () => {
  const topicOf = (name: string) => {
    const [found] = prod.data
      .of('AWS::SNS::Topic')
      .filter(([, { Properties }]) => Properties['TopicName'] === name);
    return { Ref: found![0] };
  };

  test.each([
    ['SalesPipeline-prod-texts', 'sms-voice.amazonaws.com', 'TextsTopicArn'],
    ['SalesPipeline-prod-alarms', ['cloudwatch.amazonaws.com', 'events.amazonaws.com'], 'AlarmTopicArn'],
  ])(
    '%s takes what %s publishes for this account, over TLS alone, and is an output',
    (name, Service, output) => {
      const topic = topicOf(name);
      const policies = prod.data.of('AWS::SNS::TopicPolicy').map(([, { Properties }]) => Properties);
      const policy = policies.find(({ Topics }) => JSON.stringify(Topics) === JSON.stringify([topic]))!;
      expect((policy['PolicyDocument'] as { Statement: unknown }).Statement).toEqual([
        expect.objectContaining({
          Effect: 'Deny',
          Principal: '*',
          Action: 'sns:Publish',
          Resource: topic,
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
        expect.objectContaining({
          Effect: 'Allow',
          Principal: { Service },
          Action: 'sns:Publish',
          Resource: topic,
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]);
      expect(prod.data.outputs[output]!.Value).toEqual(topic);
    },
  );

  test('of alarms emails the addresses that are set, and is there without one', () => {
    const emails = ({ of }: typeof prod.data) =>
      of('AWS::SNS::Subscription')
        .map(([, { Properties }]) => Properties)
        .filter(({ Protocol }) => Protocol === 'email');
    const TopicArn = topicOf('SalesPipeline-prod-alarms');
    expect(emails(prod.data)).toEqual(
      alarmAddresses.map((Endpoint) => ({ Protocol: 'email', TopicArn, Endpoint })),
    );
    expect(emails(quiet.data)).toEqual([]);
    expect(quiet.data.of('AWS::SNS::Topic')).toHaveLength(2);
  });
});

describe('a copy in another account', () => {
  const types = ['BackupVault', 'BackupPlan', 'BackupSelection'].map((type) => `AWS::Backup::${type}`);
  const plain = templateWith(contracts).data;
  const copy = (type: string) => prod.data.one(type, 'Backup').Properties;
  const tableArn = { 'Fn::GetAtt': [prod.data.one('AWS::DynamoDB::GlobalTable').id, 'Arn'] };

  test('is made each day, by a role that reaches this table and that vault alone', () => {
    expect(copy('AWS::Backup::BackupPlan')['BackupPlan']).toMatchObject({
      BackupPlanRule: [
        {
          ScheduleExpression: 'cron(0 5 * * ? *)',
          Lifecycle: { DeleteAfterDays: 3 },
          CopyActions: [
            { DestinationBackupVaultArn: allSettings.backupVaultArn, Lifecycle: { DeleteAfterDays: 35 } },
          ],
        },
      ],
    });
    const selection = copy('AWS::Backup::BackupSelection')['BackupSelection'];
    expect(selection).toMatchObject({ Resources: [tableArn] });
    const { ManagedPolicyArns, Policies } = copy('AWS::IAM::Role') as {
      ManagedPolicyArns?: unknown;
      Policies: { PolicyDocument: { Statement: unknown } }[];
    };
    expect(ManagedPolicyArns).toBeUndefined();
    const allowed = (Action: unknown, Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
    expect(Policies.map(({ PolicyDocument }) => PolicyDocument.Statement)).toEqual([
      [
        allowed(
          ['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:StartAwsBackupJob'],
          tableArn,
        ),
        allowed('backup:DescribeBackupVault', [allSettings.backupVaultArn, expect.anything()]),
        allowed('backup:CopyIntoBackupVault', allSettings.backupVaultArn),
        allowed(['backup:CopyFromBackupVault', 'backup:TagResource'], {
          'Fn::Join': ['', expect.arrayContaining([{ Ref: 'AWS::AccountId' }, ':recovery-point:*'])],
        }),
      ],
    ]);
  });

  test('tells the topic of alarms if it fails', () => {
    const { EventPattern, Targets } = copy('AWS::Events::Rule');
    expect(EventPattern).toMatchObject({
      'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
      detail: { resourceArn: [tableArn], state: ['FAILED', 'ABORTED', 'EXPIRED'] },
    });
    expect(Targets).toEqual([expect.objectContaining({ Arn: { Ref: 'Alarms04B5A0BF' } })]);
  });

  test('is not made without the setting', () => {
    expect([...types, 'AWS::IAM::Role', 'AWS::Events::Rule'].flatMap(plain.of)).toEqual([]);
    expect(JSON.stringify(plain.of('AWS::SNS::TopicPolicy'))).not.toContain('events.amazonaws.com');
  });
});

/** Types whose tags are an object, with the name of the property. Other types have a list of tags. */
const tagObjects: Record<string, string> = {
  'AWS::SSM::Parameter': 'Tags',
  'AWS::Backup::BackupPlan': 'BackupPlanTags',
  'AWS::Backup::BackupVault': 'BackupVaultTags',
};

test('every resource that can have tags has those of its service and its stage, and so have the stacks', () => {
  const folder = newFolder();
  const stacks = synthesizeStacks(folder, { stage: 'prod', settings: allSettings, contracts });
  const tags = { service: 'SalesPipeline', stage: 'prod' };
  for (const stack of Object.values(stacks)) {
    const { resources } = stack === stacks.data ? prod.data : prod;
    // The replicas of a table have its tags.
    const taggable = stack.node
      .findAll()
      .filter((one) => TagManager.of(one))
      .map((one) => one.node.defaultChild ?? one)
      .filter((one) => CfnResource.isCfnResource(one));
    expect(taggable.map(({ cfnResourceType }) => cfnResourceType)).toContain(
      stack === stacks.data ? 'AWS::DynamoDB::GlobalTable' : 'AWS::Lambda::Function',
    );
    for (const one of taggable) {
      const id = String(stack.resolve(one.logicalId));
      const text = JSON.stringify(resources[id]!.Properties);
      const inObject = tagObjects[one.cfnResourceType];
      if (inObject) expect(resources[id]!.Properties[inObject], id).toEqual(tags);
      else
        for (const [Key, Value] of Object.entries(tags))
          expect(text, id).toContain(JSON.stringify({ Key, Value }));
    }
    expect(stack.tags.tagValues()).toEqual(tags);
  }
});
