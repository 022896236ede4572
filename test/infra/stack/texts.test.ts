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
const here = [{ Ref: 'AWS::Partition' }, { Ref: 'AWS::Region' }, { Ref: 'AWS::AccountId' }];
const arnOf = (service: string, name: string) => ({
  'Fn::Join': ['', ['arn:', here[0], `:${service}:`, here[1], ':', here[2], `:${name}`]],
});

/** Construct of the worker. */
const worker = 'ReceiveTexts';
/** ARN of the topic, as the service names it. */
const topic = arnOf('sns', 'SalesPipeline-dev-texts');

describe('functions that send texts', () => {
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
              arnOf('sms-voice', `configuration-set/SalesPipeline-${stage}-texts`),
              arnOf('sms-voice', 'phone-number/*'),
            ],
          },
        ]);
    },
  );
});

describe('the topic of texts', () => {
  test('puts what it is told, in its envelope, into the queue; what cannot be delivered is a dead letter', () => {
    const queue = one('AWS::SQS::Queue', `${worker}Queue`).id;
    expect(one('AWS::SNS::Subscription', worker).Properties).toEqual({
      Protocol: 'sqs',
      TopicArn: topic,
      Endpoint: arn(queue),
      Region: { Ref: 'AWS::Region' },
      RedrivePolicy: { deadLetterTargetArn: arn(one('AWS::SQS::Queue', `${worker}DeadLetters`).id) },
    });
    const { Queues, PolicyDocument } = one('AWS::SQS::QueuePolicy', `${worker}Queue`).Properties;
    expect(Queues).toEqual([{ Ref: queue }]);
    expect((PolicyDocument as { Statement: unknown[] }).Statement).toContainEqual({
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: arn(queue),
      Condition: { ArnEquals: { 'aws:SourceArn': topic } },
    });
  });
});

test('texts go out with the configuration set of the stage, which reports to the topic what can be their end', () => {
  const { Properties: properties } = one('AWS::SMSVOICE::ConfigurationSet', 'Texts');
  expect(properties).toMatchObject({
    ConfigurationSetName: 'SalesPipeline-dev-texts',
    EventDestinations: [
      { EventDestinationName: 'reports', Enabled: true, SnsDestination: { TopicArn: topic } },
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

test('with sms off nothing of it is deployed, and sending is left without a provider', () => {
  const off = templateWith({ settings: { ...allSettings, sms: false }, ...contracts });
  const parts =
    /SMSVOICE|sms-voice|SMS_|-texts|TextsTopicArn|TextsFail|ReceiveTexts|Text messages by outcome/g;
  const partsOf = ({ data, ...service }: typeof prod) =>
    JSON.stringify([service.resources, data.resources, data.outputs]).match(parts);
  expect(new Set(partsOf(prod)).size).toBe(8);
  expect(partsOf(off)).toBeNull();
  const names = off.of('AWS::Lambda::Function').map(([, { Properties }]) => Properties['FunctionName']);
  expect(names).toContain('SalesPipeline-prod-api-SendSms');
});
