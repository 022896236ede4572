import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { allows, type Statement } from '../../../infra/local/role.ts';
import { readTemplate } from '../../../infra/local/template/template.ts';
import { fileSettings, synthesizeStacks } from '../../support/template/made-up-stack.ts';
import { newFolder } from '../../support/new-folder.ts';

const { operations, workers } = await findContracts();

const folder = newFolder();
const smsOriginationIdentity = 'arn:aws:sms-voice:us-east-1:123456789012:pool/pool-0a1b';
const functionsWith = (requireLeadingKeys: boolean) => {
  const outdir = join(folder, String(requireLeadingKeys));
  synthesizeStacks(outdir, {
    stage: 'dev',
    settings: { ...fileSettings('dev'), smsOriginationIdentity, keepWarm: true, requireLeadingKeys },
    contracts: { operations, workers },
  });
  return readTemplate(outdir).functions;
};
const functions = functionsWith(false);

/** Actions of Lambda on a stream, which have no keys. */
const readStream = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
  (operation) => `dynamodb:${operation}`,
);
const isOnTable = (action: string) => action.startsWith('dynamodb:') && !readStream.includes(action);
const onTable = (role: readonly Statement[]) => role.filter(({ Action }) => Action.some(isOnTable));
test.each([
  ['in transactions and in queries of indexes', false],
  ['nowhere with requireLeadingKeys', true],
])('a call for which DynamoDB names no key is allowed %s', (_, requireLeadingKeys) => {
  let statements = 0;
  for (const { name, role } of requireLeadingKeys ? functionsWith(true) : functions) {
    for (const { Action, Resource, Condition } of onTable(role)) {
      statements++;
      const [enclosing] = Condition?.['ForAnyValue:StringEquals']?.['dynamodb:EnclosingOperation'] ?? [];
      for (const action of Action) {
        for (const resource of Resource) {
          const isQueryOfIndex = resource.includes('/index/');
          const call = { action, resource, leadingKeys: [] };
          expect(allows(role, call), `${name}: ${action}`).toBe(isQueryOfIndex && !requireLeadingKeys);
          if (enclosing === undefined) continue;
          expect(allows(role, { ...call, enclosing }), `${name}: ${action}`).toBe(!requireLeadingKeys);
        }
      }
    }
  }
  expect(statements).toBeGreaterThan(functions.length);
});

const knowQueue = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'];

test('besides, a role writes the log, sends SMS or dead letters, receives or sends messages, reads the stream, encrypts, and calls functions, where that is what it is for', () => {
  for (const { name, role } of functions) {
    const others = role.flatMap(({ Action }) => Action.filter((action) => !isOnTable(action)));
    const logs = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    if (/^(SendSms|ReceiveTexts)/.test(name)) logs.push('sms-voice:SendTextMessage');
    if (/^(ReceiveTexts|SendWebhooks)/.test(name))
      logs.push('sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:ReceiveMessage', ...knowQueue);
    if (/^(CreateWebhook|RotateWebhookSecret|(Create|Rotate)AccessToken|Invite|Resend|Accept)/.test(name))
      logs.push('kms:Decrypt', 'kms:Encrypt');
    if (name.startsWith('RotateKeySecret')) logs.push('kms:Encrypt');
    if (/^(Send|Dispatch|Sweep)Webhooks/.test(name)) logs.push('sqs:SendMessage');
    if (/^(SendWebhooks|SubmitCallEvent|AnswerRinging)/.test(name)) logs.push('kms:Decrypt');
    if (name.startsWith('DispatchWebhooks')) logs.push(...readStream);
    if (/^(ResolveSending|KeepWarm|DispatchWebhooks|SweepWebhooks)/.test(name))
      logs.push('sqs:SendMessage', ...knowQueue);
    if (name.startsWith('KeepWarm')) logs.push('lambda:InvokeFunction');
    expect([...others].sort(), name).toEqual(logs.sort());
  }
});

/**
 * Maximum of characters of all inline policies of a role together.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
const maxInlinePolicies = 10_240;

test("a role's policies are within IAM's quota, whatever the table is called, and each in few statements", () => {
  const longestArn = `arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/${'x'.repeat(255)}`;
  for (const { name, role } of functions) {
    const text = JSON.stringify(role).replaceAll(/arn:aws:dynamodb:[^"/]+\/[^"/]+/g, longestArn);
    expect(text.length, name).toBeLessThan(0.6 * maxInlinePolicies);
    expect(onTable(role).length, name).toBeLessThanOrEqual(8);
  }
});
