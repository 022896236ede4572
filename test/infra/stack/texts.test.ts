import { EventType } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import type { DeployedStage } from '../../../infra/stack/stage.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import { allSettings, synthesizeStack, templateOf } from '../../support/made-up-stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'texts-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const contracts = await findContracts();

/** Builds the service's own stack, in prod with every setting. */
function build(stage: DeployedStage) {
  const settings = stage === 'prod' ? allSettings : stageSettings.dev;
  synthesizeStack(folder, { stage, settings, contracts });
  const { resources, outputs } = templateOf(folder);
  const of = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  return { resources, outputs, of };
}
const dev = build('dev');
const prod = build('prod');

/** Finds the one resource of a type in dev whose logical id begins with `start`. */
function one(type: string, start: string): { id: string; properties: Record<string, unknown> } {
  const found = dev.of(type).filter(([id]) => id.startsWith(start));
  expect(found.map(([id]) => id)).toEqual([expect.stringMatching(`^${start}`)]);
  const [[id, { Properties: properties }]] = found as [(typeof found)[0]];
  return { id, properties };
}
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

/** Construct of the worker, and the final ids of its topic and its queues. */
const worker = 'ReceiveTexts';
const topic = 'ReceiveTextsTopic58400230';

describe('functions that send texts', () => {
  const arnOf = (name: string) => ({
    'Fn::Join': [
      '',
      [
        ...['arn:', { Ref: 'AWS::Partition' }, ':sms-voice:', { Ref: 'AWS::Region' }],
        ...[':', { Ref: 'AWS::AccountId' }, `:${name}`],
      ],
    ],
  });

  test.each([
    ['prod', prod, allSettings.smsOriginationIdentity],
    ['dev', dev, undefined],
  ] as const)(
    'may do so from the numbers of the account, and the identity given, and no others may: %s',
    (stage, { of }, given) => {
      const senders = of('AWS::Lambda::Function').filter(([, { Properties }]) =>
        JSON.stringify(Properties['Environment']).includes('SMS_'),
      );
      expect(senders.map(([, { Properties }]) => Properties['FunctionName'])).toEqual(
        ['api-SendSms', worker].map((name) => `SalesPipeline-${stage}-${name}`),
      );
      for (const [, { Properties }] of senders) {
        const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
        expect(Variables['SMS_CONFIGURATION_SET']).toBe(`SalesPipeline-${stage}-texts`);
        expect(Variables['SMS_ORIGINATION_IDENTITY']).toBe(given);
      }
      const policies = of('AWS::IAM::Role').flatMap(([, { Properties }]) => {
        const inline = (Properties['Policies'] ?? []) as { PolicyDocument: { Statement: unknown } }[];
        return inline.filter((policy) => JSON.stringify(policy).includes('sms-voice'));
      });
      expect(policies).toHaveLength(senders.length);
      for (const { PolicyDocument } of policies)
        expect(PolicyDocument.Statement).toEqual([
          {
            Action: 'sms-voice:SendTextMessage',
            Effect: 'Allow',
            Resource: [
              ...(given === undefined ? [] : [given]),
              arnOf(`configuration-set/SalesPipeline-${stage}-texts`),
              arnOf('phone-number/*'),
            ],
          },
        ]);
    },
  );
});

describe('the topic of texts', () => {
  test('has an id that is for good, since numbers know its ARN, and no name', () => {
    const topics = prod.of('AWS::SNS::Topic').map(([id]) => id);
    const instead = 'Under another id it would be a new topic, and every number would have to be told.';
    expect(topics, instead).toContain(topic);
    expect(prod.outputs['TextsTopicArn']).toMatchObject({ Value: { Ref: topic } });
    // A replaced topic with a fixed name would collide with its successor.
    expect(prod.resources[topic]).not.toHaveProperty('Properties.TopicName');
  });

  test('takes from the provider, for this account alone, what its numbers and its reports tell, over TLS', () => {
    expect(one('AWS::SNS::TopicPolicy', 'WorkerPolicies').properties).toEqual({
      Topics: [{ Ref: topic }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Sid: 'OverTlsAlone',
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'sns:Publish',
            Resource: '*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
          {
            Sid: 'SmsMayPublish',
            Effect: 'Allow',
            Principal: { Service: 'sms-voice.amazonaws.com' },
            Action: 'sns:Publish',
            Resource: '*',
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
      },
    });
  });

  test('puts what it is told, in its envelope, into the queue; what cannot be delivered is a dead letter', () => {
    const queue = one('AWS::SQS::Queue', `${worker}Queue`).id;
    expect(one('AWS::SNS::Subscription', worker).properties).toEqual({
      Protocol: 'sqs',
      TopicArn: { Ref: topic },
      Endpoint: arn(queue),
      RedrivePolicy: { deadLetterTargetArn: arn(one('AWS::SQS::Queue', `${worker}DeadLetters`).id) },
    });
    const { Queues, PolicyDocument } = one('AWS::SQS::QueuePolicy', 'WorkerPolicies').properties;
    expect(Queues).toContainEqual({ Ref: queue });
    expect((PolicyDocument as { Statement: unknown[] }).Statement).toContainEqual({
      Sid: 'SnsMayDeliver',
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: '*',
      Condition: { ArnEquals: { 'aws:SourceArn': [{ Ref: topic }] } },
    });
  });

  test('has its worker called for one at a time, as often as its contract says', () => {
    const { id, properties } = one('AWS::SQS::Queue', `${worker}Queue`);
    expect(properties).toMatchObject({
      VisibilityTimeout: 6 * receiveTextsWorker.timeoutSeconds,
      RedrivePolicy: { maxReceiveCount: 1 + receiveTextsWorker.retries },
    });
    expect(one('AWS::Lambda::EventSourceMapping', worker).properties).toMatchObject({
      EventSourceArn: arn(id),
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: receiveTextsWorker.on.queue.maxConcurrency },
    });
  });
});

test('texts go out with the configuration set of the stage, which reports to the topic what can be their end', () => {
  const { id, properties } = one('AWS::SMSVOICE::ConfigurationSet', 'Texts');
  // The policy lets the provider publish, so it must exist before the configuration set.
  const policy = one('AWS::SNS::TopicPolicy', 'WorkerPoliciesTextTopics');
  expect(policy.properties['Topics']).toEqual([{ Ref: topic }]);
  expect(dev.resources[id]?.DependsOn).toEqual([policy.id]);
  expect(properties).toMatchObject({
    ConfigurationSetName: 'SalesPipeline-dev-texts',
    EventDestinations: [
      { EventDestinationName: 'reports', Enabled: true, SnsDestination: { TopicArn: { Ref: topic } } },
    ],
  });
  const [{ MatchingEventTypes: types }] = properties['EventDestinations'] as [
    { MatchingEventTypes: string[] },
  ];
  const known: string[] = Object.values(EventType);
  // All report types, but for those before the last report, and `TEXT_ALL`.
  const onTheWay = ['TEXT_ALL', 'TEXT_PENDING', 'TEXT_QUEUED', 'TEXT_SENT'];
  expect(types.toSorted()).toEqual(
    known.filter((type) => type.startsWith('TEXT_') && !onTheWay.includes(type)).toSorted(),
  );
});
