import {
  DescribeOptOutListsCommand,
  DescribePhoneNumbersCommand,
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  type SendTextMessageCommandInput,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { region, smsArn } from '../../../infra/local/arns.ts';
import { Permissions, type Statement } from '../../../infra/local/role.ts';
import {
  type AcceptedSms,
  type SmsAtProvider,
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

let kept: SmsAtProvider[];
let reported: (text: AcceptedSms) => void;
const standIn = await startSmsStandIn({
  permissions: new Permissions((functionName) => roles[functionName] ?? []),
  keep: (message) => kept.push(message),
  report: (text) => {
    reported(text);
  },
  hasConfigurationSet: (name) => name === 'texts',
  textsTopicArn: () => 'arn:aws:sns:us-east-1:000000000000:Topic',
});
beforeEach(() => {
  kept = [];
  reported = () => undefined;
});
afterAll(() => standIn.close());

/** The SDK's client with the credentials of a function. */
function clientOf(functionName: string): PinpointSMSVoiceV2Client {
  const credentials = { accessKeyId: functionName, secretAccessKey: 'local' };
  const { endpoint } = standIn;
  return new PinpointSMSVoiceV2Client({ endpoint, region, credentials, maxAttempts: 1 });
}

const message = {
  DestinationPhoneNumber: '+61491570156',
  OriginationIdentity: identity,
  MessageBody: 'Zoë, we come at 3 🦊',
  MessageType: 'TRANSACTIONAL',
} as const;
const send = (functionName: string, changes: Partial<SendTextMessageCommandInput> = {}) =>
  clientOf(functionName).send(new SendTextMessageCommand({ ...message, ...changes }));

describe('the stand-in for the SMS provider', () => {
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

  test('refuses an operation that it does not know, by name', async () => {
    await expect(clientOf('Sender').send(new DescribeOptOutListsCommand())).rejects.toMatchObject({
      name: 'UnknownOperationException',
      message: 'The local machine does not know DescribeOptOutLists',
    });
  });

  test.each<[string, Partial<SendTextMessageCommandInput>]>([
    ['DestinationPhoneNumber', { DestinationPhoneNumber: '0491570156' }],
    ['OriginationIdentity', { OriginationIdentity: undefined }],
    ['MessageBody', { MessageBody: '' }],
    ['MessageBody', { MessageBody: 'x'.repeat(1601) }],
    ['MessageType', { MessageType: 'URGENT' as 'TRANSACTIONAL' }],
    ['ConfigurationSetName', { ConfigurationSetName: 'a b' }],
    ['Context', { Context: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, key])) }],
    // The provider has more fields than the functions use.
    ['DryRun', { DryRun: true }],
  ])('refuses a wrong %s: %j', async (field, changes) => {
    await expect(send('Sender', changes)).rejects.toMatchObject({
      name: 'ValidationException',
      Reason: 'FIELD_VALIDATION_FAILED',
      message: expect.stringMatching(new RegExp(`^${field}: `)) as string,
    });
    expect(kept).toEqual([]);
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

  test('lists numbers to no function, and refuses an unknown page', async () => {
    await expect(clientOf('Texter').send(new DescribePhoneNumbersCommand({}))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    const beyond = new DescribePhoneNumbersCommand({ NextToken: '30' });
    await expect(clientOf('local').send(beyond)).rejects.toMatchObject({ name: 'ValidationException' });
  });
});
