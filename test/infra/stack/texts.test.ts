import { EventType } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { describe, expect, test } from 'vitest';
import type { WorkerFunction } from '../../../infra/functions.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import { allSettings, getLead, sendSms, templateWith } from '../../support/made-up-stack.ts';

const receiveTexts: WorkerFunction = {
  kind: 'worker',
  worker: receiveTextsWorker,
  entry: 'functions/workers/receive-texts.ts',
};
const contracts = { operations: [getLead, sendSms], workers: [receiveTexts] };
const dev = templateWith({ stage: 'dev', ...contracts });
const prod = templateWith({ settings: allSettings, ...contracts });
const { one } = dev;

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
    expect(one('AWS::SNS::TopicPolicy', 'WorkerPolicies').Properties).toEqual({
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
    expect(one('AWS::SNS::Subscription', worker).Properties).toEqual({
      Protocol: 'sqs',
      TopicArn: { Ref: topic },
      Endpoint: arn(queue),
      RedrivePolicy: { deadLetterTargetArn: arn(one('AWS::SQS::Queue', `${worker}DeadLetters`).id) },
    });
    const { Queues, PolicyDocument } = one('AWS::SQS::QueuePolicy', 'WorkerPolicies').Properties;
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
});

test('texts go out with the configuration set of the stage, which reports to the topic what can be their end', () => {
  const { Properties: properties, DependsOn } = one('AWS::SMSVOICE::ConfigurationSet', 'Texts');
  // The policy lets the provider publish, so it must exist before the configuration set.
  const policy = one('AWS::SNS::TopicPolicy', 'WorkerPoliciesTextTopics');
  expect(policy.Properties['Topics']).toEqual([{ Ref: topic }]);
  expect(DependsOn).toEqual([policy.id]);
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
