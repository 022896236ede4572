import {
  DescribeOptOutListsCommand,
  DescribePhoneNumbersCommand,
  paginateDescribePhoneNumbers,
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  SendVoiceMessageCommand,
  type SendTextMessageCommandInput,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { region, smsArn } from '../../../infra/local/intrinsics.ts';
import type { Statement } from '../../../infra/local/role.ts';
import {
  type AcceptedSms,
  type SentSms,
  type SmsStandIn,
  startSmsStandIn,
} from '../../../infra/local/messaging/sms-stand-in.ts';

const identity = `${smsArn}:phone-number/phone-local`;
const allowing = (Action: string, Resource: string): Statement => ({
  Effect: 'Allow',
  Action: [Action],
  Resource: [Resource],
});
const roles: Record<string, Statement[]> = {
  Sender: [allowing('sms-voice:SendTextMessage', identity)],
  Texter: [
    allowing('sms-voice:SendTextMessage', `${smsArn}:phone-number/*`),
    allowing('sms-voice:SendTextMessage', `${smsArn}:configuration-set/texts`),
    allowing('sms-voice:SendTextMessage', `${smsArn}:configuration-set/gone`),
  ],
  Reader: [allowing('dynamodb:GetItem', identity)],
  Other: [allowing('sms-voice:SendTextMessage', `${smsArn}:phone-number/phone-other`)],
};

let standIn: SmsStandIn;
let kept: SentSms[];
let reported: (text: AcceptedSms) => void;
const clients: PinpointSMSVoiceV2Client[] = [];
beforeAll(async () => {
  standIn = await startSmsStandIn({
    roleOf: (functionName) => roles[functionName] ?? [],
    keep: (message) => kept.push(message),
    report: (text) => {
      reported(text);
    },
    hasConfigurationSet: (name) => name === 'texts',
    textsTopicArn: () => 'arn:aws:sns:us-east-1:000000000000:Topic',
  });
});
beforeEach(() => {
  kept = [];
  reported = () => undefined;
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await standIn.close();
});

/** The SDK's client with the credentials of a function. */
function clientOf(functionName: string): PinpointSMSVoiceV2Client {
  const credentials = { accessKeyId: functionName, secretAccessKey: 'local' };
  const { endpoint } = standIn;
  const client = new PinpointSMSVoiceV2Client({ endpoint, region, credentials, maxAttempts: 1 });
  clients.push(client);
  return client;
}

const message = {
  DestinationPhoneNumber: '+61491570156',
  OriginationIdentity: identity,
  MessageBody: 'Zoë, we come at 3 🦊',
  MessageType: 'TRANSACTIONAL',
} as const;
const send = (functionName: string, changes: Partial<SendTextMessageCommandInput> = {}) =>
  clientOf(functionName).send(new SendTextMessageCommand({ ...message, ...changes }));

/** Sends any body to any operation. */
const post = async (body: string, target = 'PinpointSMSVoiceV2.SendTextMessage') => {
  const response = await fetch(standIn.endpoint, {
    method: 'POST',
    headers: { 'X-Amz-Target': target, Authorization: 'AWS4-HMAC-SHA256 Credential=Sender/20260101/x' },
    body,
  });
  return { status: response.status, body: await response.json() };
};

describe('the stand-in for the SMS provider', () => {
  test('keeps every SMS, and gives each an id of its own', async () => {
    const first = await send('Sender');
    const second = await send('Sender', { MessageType: 'PROMOTIONAL', MessageBody: 'x'.repeat(1600) });
    const from = { to: '+61491570156', from: identity };
    expect(kept).toEqual([
      { id: first.MessageId, ...from, text: 'Zoë, we come at 3 🦊' },
      { id: second.MessageId, ...from, text: 'x'.repeat(1600) },
    ]);
    expect(first.MessageId).not.toBe(second.MessageId);
  });

  test.each([
    ['Reader', 'has no permission to send'],
    ['Other', 'may send from another identity alone'],
    ['Nobody', 'is not known'],
  ])('refuses the role of %s, which %s', async (functionName) => {
    await expect(send(functionName)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $fault: 'client',
      message: `The role of ${functionName} does not allow sms-voice:SendTextMessage on ${identity}`,
    });
    expect(kept).toEqual([]);
  });

  test('refuses an identity that the role does not name', async () => {
    const OriginationIdentity = `${smsArn}:phone-number/phone-other`;
    await expect(send('Sender', { OriginationIdentity })).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('phone-other') as string,
    });
  });

  test('refuses operations that it does not know, by name', async () => {
    const client = clientOf('Sender');
    const voice = { DestinationPhoneNumber: '+61491570156', OriginationIdentity: identity };
    const calls: [string, () => Promise<unknown>][] = [
      ['SendVoiceMessage', () => client.send(new SendVoiceMessageCommand(voice))],
      ['DescribeOptOutLists', () => client.send(new DescribeOptOutListsCommand())],
    ];
    for (const [operation, call] of calls) {
      await expect(call()).rejects.toMatchObject({
        name: 'UnknownOperationException',
        message: `The local machine does not know ${operation}`,
      });
    }
    expect(kept).toEqual([]);
  });

  test.each<[string, Partial<SendTextMessageCommandInput>]>([
    ['DestinationPhoneNumber', { DestinationPhoneNumber: '0491570156' }],
    ['DestinationPhoneNumber', { DestinationPhoneNumber: '+0491570156' }],
    ['DestinationPhoneNumber', { DestinationPhoneNumber: '+61 491 570 156' }],
    ['DestinationPhoneNumber', { DestinationPhoneNumber: '+6149' }],
    ['DestinationPhoneNumber', { DestinationPhoneNumber: '+1234567890123456' }],
    ['DestinationPhoneNumber', { DestinationPhoneNumber: undefined }],
    ['OriginationIdentity', { OriginationIdentity: undefined }],
    ['MessageBody', { MessageBody: undefined }],
    ['MessageBody', { MessageBody: '' }],
    ['MessageBody', { MessageBody: 'x'.repeat(1601) }],
    ['MessageType', { MessageType: undefined }],
    ['MessageType', { MessageType: 'URGENT' as 'TRANSACTIONAL' }],
    ['ConfigurationSetName', { ConfigurationSetName: 'a b' }],
    ['Context', { Context: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, key])) }],
    // The provider has more fields than the functions use.
    ['DryRun', { DryRun: true }],
  ])('refuses a wrong %s: %j', async (field, changes) => {
    await expect(send('Sender', changes)).rejects.toMatchObject({
      name: 'ValidationException',
      Reason: 'FIELD_VALIDATION_FAILED',
      message: expect.stringMatching(new RegExp(`^${field} `)) as string,
    });
    expect(kept).toEqual([]);
  });

  test.each(['', 'null', '[]', '{', JSON.stringify(message).slice(0, -1)])(
    'refuses the body %j',
    async (body) => {
      expect(await post(body)).toMatchObject({
        status: 400,
        body: { __type: 'com.amazonaws.pinpointsmsvoicev2#ValidationException' },
      });
      expect(await post(body, 'PinpointSMSVoiceV2.DeletePool')).toMatchObject({
        body: { __type: 'com.amazonaws.pinpointsmsvoicev2#UnknownOperationException' },
      });
    },
  );

  test('refuses a number that has opted out', async () => {
    await expect(send('Sender', { DestinationPhoneNumber: '+61491570110' })).rejects.toMatchObject({
      name: 'ConflictException',
      $fault: 'client',
      Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
    });
    expect(kept).toEqual([]);
  });

  test('refuses a number as if the spending limit were reached', async () => {
    await expect(send('Sender', { DestinationPhoneNumber: '+61491570006' })).rejects.toMatchObject({
      name: 'ServiceQuotaExceededException',
      $fault: 'client',
      Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
    });
    expect(kept).toEqual([]);
  });

  test('gives no answer for one number, and continues', async () => {
    await expect(send('Sender', { DestinationPhoneNumber: '+61491570313' })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    expect(kept).toEqual([]);
    await send('Sender');
    expect(kept).toHaveLength(1);
  });

  test('reports an SMS with its options after the sender has the response', async () => {
    const told = new Promise<AcceptedSms>((resolve) => (reported = resolve));
    const OriginationIdentity = `${smsArn}:phone-number/phone-61491570737`;
    const { MessageId } = await send('Texter', {
      OriginationIdentity,
      ConfigurationSetName: 'texts',
      Context: { organization: '6H8EV880', message: '7' },
    });
    expect(await told).toEqual({
      ...kept[0],
      messageType: 'TRANSACTIONAL',
      context: { organization: '6H8EV880', message: '7' },
      configurationSet: 'texts',
    });
    expect(kept).toMatchObject([{ id: MessageId, from: OriginationIdentity }]);
  });

  test('refuses a configuration set that is not there, or that the role does not name', async () => {
    await expect(send('Texter', { ConfigurationSetName: 'gone' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      ResourceType: 'configuration-set',
      ResourceId: 'gone',
    });
    await expect(send('Sender', { ConfigurationSetName: 'texts' })).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('configuration-set/texts') as string,
    });
    expect(kept).toEqual([]);
  });

  test('lists the numbers reserved for fiction to the operator, page by page', async () => {
    const pages = paginateDescribePhoneNumbers({ client: clientOf('local') }, {});
    const sizes: number[] = [];
    const all = [];
    for await (const { PhoneNumbers = [] } of pages) {
      sizes.push(PhoneNumbers.length);
      all.push(...PhoneNumbers);
    }
    expect(sizes).toEqual([10, 10, 10]);
    expect(new Set(all.map(({ PhoneNumber }) => PhoneNumber)).size).toBe(30);
    expect(all.find(({ PhoneNumber }) => PhoneNumber === '+61491570737')).toMatchObject({
      PhoneNumberArn: `${smsArn}:phone-number/phone-61491570737`,
      Status: 'ACTIVE',
      TwoWayEnabled: true,
      TwoWayChannelArn: 'arn:aws:sns:us-east-1:000000000000:Topic',
      SelfManagedOptOutsEnabled: true,
    });
  });

  test('lists numbers to no function, and refuses an unknown page', async () => {
    await expect(clientOf('Texter').send(new DescribePhoneNumbersCommand({}))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    const beyond = new DescribePhoneNumbersCommand({ NextToken: '30' });
    await expect(clientOf('local').send(beyond)).rejects.toMatchObject({ name: 'ValidationException' });
  });
});
