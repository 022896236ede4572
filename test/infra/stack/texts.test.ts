import { EventType } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { expect, test } from 'vitest';
import {
  allSettings,
  getLead,
  receiveTexts,
  sendSms,
  templateWith,
} from '../../support/template/made-up-stack.ts';

const contracts = { operations: [getLead, sendSms], workers: [receiveTexts] };
const dev = templateWith({ stage: 'dev', ...contracts });
const prod = templateWith({ settings: allSettings, ...contracts });
const { one } = dev;

const here = [{ Ref: 'AWS::Partition' }, { Ref: 'AWS::Region' }, { Ref: 'AWS::AccountId' }];
const arnOf = (service: string, name: string) => ({
  'Fn::Join': ['', ['arn:', here[0], `:${service}:`, here[1], ':', here[2], `:${name}`]],
});

/** ARN of the topic, as the service names it. */
const topic = arnOf('sns', 'SalesPipeline-dev-texts');

test.each([
  ['prod', prod, allSettings.smsOriginationIdentity],
  ['dev', dev, undefined],
] as const)(
  'functions that send texts may do so from the numbers of the account, and the identity given: %s',
  (stage, { of }, given) => {
    const senders = of('AWS::Lambda::Function').flatMap(([, { Properties }]) => {
      const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
      return 'SMS_CONFIGURATION_SET' in Variables ? [Variables] : [];
    });
    expect(senders).toHaveLength(2);
    for (const variables of senders) expect(variables['SMS_ORIGINATION_IDENTITY']).toBe(given);
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

test('with sms off only the queues with what they hold are deployed, and sending is left without a provider', () => {
  const off = templateWith({ settings: { ...allSettings, sms: false }, ...contracts });
  const parts =
    /SMSVOICE|sms-voice|SMS_|-texts|TextsTopicArn|TextsFail|ReceiveTexts(?!Queue|DeadLetters)|Text messages by outcome/g;
  const partsOf = ({ data, ...service }: typeof prod) =>
    JSON.stringify([service.resources, data.resources, data.outputs]).match(parts);
  expect(new Set(partsOf(prod)).size).toBe(8);
  expect(partsOf(off)).toBeNull();
  const queuesOf = ({ data }: typeof prod) => data.of('AWS::SQS::Queue');
  expect(queuesOf(off)).toHaveLength(2);
  expect(queuesOf(off)).toEqual(queuesOf(prod));
  const names = off.of('AWS::Lambda::Function').map(([, { Properties }]) => Properties['FunctionName']);
  expect(names).toContain('SalesPipeline-prod-api-SendSms');
});
