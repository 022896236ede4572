import { randomInt } from 'node:crypto';
import { beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { addNumber, listNumbers, maxNumbers } from '../../../shared/domain/numbers/numbers.ts';
import {
  limits,
  newStore,
  twoOrganizations,
  type TestOrganization,
} from '../../support/test-organization.ts';
import { stackOf, startAwsStandIn, stubAws } from './aws-stand-in.ts';
import { done, json, refused } from './command-results.ts';

const topicArn = 'arn:aws:sns:us-east-1:123456789012:SalesPipeline-dev-texts';

/** A number that no other test uses: a number has one organization in the whole table. */
const newNumber = () => `+6140${randomInt(1e6, 1e7)}`;

/** A provider's description of a number, with all settings on. */
const described = (number: string, changes: object = {}) => ({
  PhoneNumberArn: arnOf(number),
  PhoneNumberId: idOf(number),
  PhoneNumber: number,
  Status: 'ACTIVE',
  NumberCapabilities: ['SMS', 'VOICE'],
  TwoWayEnabled: true,
  TwoWayChannelArn: topicArn,
  SelfManagedOptOutsEnabled: true,
  ...changes,
});
const idOf = (number: string) => `phone-${number.slice(1)}`;
const arnOf = (number: string) => `arn:aws:sms-voice:us-east-1:123456789012:phone-number/${idOf(number)}`;

/** Pages of the provider's list of numbers. */
let pages: object[];
let outputs: Record<string, string>;
let providerAnswer: { status: number; body: string } | undefined;

const cloudFormation = await startAwsStandIn(() => stackOf('UPDATE_COMPLETE', outputs));
const provider = await startAwsStandIn((body) => {
  const { NextToken = '0' } = JSON.parse(body) as { NextToken?: string };
  const at = Number(NextToken);
  const PhoneNumbers = [pages[at]].flat().filter((page) => page !== undefined);
  const more = at + 1 < pages.length ? { NextToken: String(at + 1) } : {};
  return providerAnswer ?? { status: 200, body: JSON.stringify({ PhoneNumbers, ...more }) };
});

const { ours, theirs } = await twoOrganizations();
let number: string;
beforeEach(() => {
  number = newNumber();
  pages = [described(newNumber()), described(number)];
  outputs = { TableName: inject('tableName'), TextsTopicArn: topicArn };
  providerAnswer = undefined;
  stubAws({
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: provider,
  });
});

const args = (verb: string, of: TestOrganization, ...more: string[]) => [
  ...['number', verb, '--stage', 'dev', '--organization', of.code],
  ...more,
];
const add = (added = number, of = ours) => args('add', of, '--number', added);

const title = () => `Test (${ours.code})`;
const ownerOf = (owned: string) => newStore().organizationOfPhoneNumber(owned, limits());

describe('a number of the account', () => {
  test('is given to an organization, with no word about settings that are on', async () => {
    expect(await done(add())).toBe(
      `${number} is a number of ${title()} now: texts to it are stored there, and texts go out from it.\n`,
    );
    expect(await ownerOf(number)).toBe(ours.code);
    const last = (await listNumbers(ours.openLedger().ledger)).at(-1);
    expect(last).toEqual({ number, arn: arnOf(number) });
    expect(await done(add(`${number.slice(0, 3)} ${number.slice(3)}`))).toBe(
      `${number} is a number of ${title()} already: nothing was changed.\n`,
    );
    expect(await done(args('list', ours))).toMatch(
      new RegExp(`^Numbers of Test .+\n\nNUMBER +ARN\n(?:.+\n)*[+]${number.slice(1)} +${arnOf(number)}\n`),
    );
  });

  test('needs settings, each printed with its command, also if the number was added before', async () => {
    pages = [described(number, { TwoWayEnabled: false, TwoWayChannelArn: undefined })];
    const two = `--two-way-enabled --two-way-channel-arn ${topicArn}`;
    const update = `aws pinpoint-sms-voice-v2 update-phone-number --phone-number-id ${idOf(number)}`;
    expect((await done(add())).split('\n').slice(1)).toEqual([
      '',
      'Texts to it are dropped until two-way messages are switched on:',
      `  ${update} ${two} --region us-east-1`,
      '',
    ]);
    const other = 'arn:aws:sns:us-east-1:123456789012:Other';
    pages = [described(number, { TwoWayChannelArn: other, SelfManagedOptOutsEnabled: false })];
    expect((await done(add())).split('\n').slice(1)).toEqual([
      '',
      `Texts to it go to ${other} now. Let them come in here:`,
      `  ${update} ${two} --region us-east-1`,
      '',
      'AWS answers STOP itself, and tells no one, until the number manages its opt-outs itself:',
      `  ${update} --self-managed-opt-outs-enabled --region us-east-1`,
      '',
    ]);
  });

  test('in a pool is changed with its pool', async () => {
    pages = [described(number, { PoolId: 'pool-1', TwoWayEnabled: false })];
    expect(await json(add())).toEqual({
      organization: ours.code,
      number,
      arn: arnOf(number),
      isNew: true,
      toSwitchOn: [
        {
          what: 'Texts to it are dropped until two-way messages are switched on:',
          command:
            'aws pinpoint-sms-voice-v2 update-pool --pool-id pool-1 --two-way-enabled ' +
            `--two-way-channel-arn ${topicArn} --region us-east-1`,
        },
      ],
    });
  });

  test('is removed, and can then be given to another organization', async () => {
    await done(add());
    expect(await done(args('remove', ours, '--number', number))).toBe(
      `${number} is no number of ${title()} any more. Texts to it become dead letters, until an organization has it or ` +
        'two-way messages are switched off at AWS.\n',
    );
    expect(await ownerOf(number)).toBeUndefined();
    await done(add(number, theirs));
    expect(await ownerOf(number)).toBe(theirs.code);
  });
});

test('listing no numbers prints how to add one', async () => {
  const { ours: fresh } = await twoOrganizations();
  expect(await done(args('list', fresh))).toBe(
    `Test (${fresh.code}) has no numbers: "number add" gives it one.\n`,
  );
  expect(await json(args('list', fresh))).toEqual({
    organization: fresh.code,
    numbers: [],
  });
});

describe('one sentence says what to do where', () => {
  const lists = '"aws pinpoint-sms-voice-v2 describe-phone-numbers --region us-east-1" lists its numbers.\n';

  test('the account does not have the number', async () => {
    pages = [described(newNumber())];
    expect(await refused(add())).toBe(`The AWS account has no number ${number} in us-east-1: ${lists}`);
    pages = [];
    expect(await refused(add())).toBe(`The AWS account has no number ${number} in us-east-1: ${lists}`);
    expect(await ownerOf(number)).toBeUndefined();
  });

  test('the number is not active, or not for SMS', async () => {
    pages = [described(number, { Status: 'PENDING' })];
    expect(await refused(add())).toBe(
      `The number ${number} is PENDING at AWS: add it when it is ACTIVE; ${lists}`,
    );
    pages = [described(number, { NumberCapabilities: ['VOICE'] })];
    expect(await refused(add())).toBe(
      `The number ${number} is for VOICE, not for SMS: add a number for SMS; ${lists}`,
    );
    expect(await ownerOf(number)).toBeUndefined();
  });

  test('another organization has the number', async () => {
    await done(add(number, theirs));
    expect(await refused(add())).toBe(
      `The number ${number} is one of the organization ${theirs.code}: take it from there first, with "number remove".\n`,
    );
    expect(await refused(args('remove', ours, '--number', number))).toBe(
      `${title()} has no number ${number}: "number list" shows those it has.\n`,
    );
    expect(await ownerOf(number)).toBe(theirs.code);
  });

  test('the organization has as many numbers as it can have', async () => {
    const { ours: full } = await twoOrganizations();
    const numbers = Array.from({ length: maxNumbers + 1 }, newNumber);
    const [first = '', ...others] = numbers;
    for (const each of others) await addNumber(full.openLedger().ledger, { number: each, arn: arnOf(each) });
    pages = [[described(first)]];
    expect(await refused(add(first, full))).toBe(
      `Test (${full.code}) has 20 numbers already, the most that an organization can have: remove one first, with "number ` +
        'remove".\n',
    );
  });

  test('there is no such organization', async () => {
    const typed = [...add(), '--organization', '00000000'];
    expect(await refused(typed)).toContain('There is no organization 00000000 in the stage dev');
  });

  test('the provider refuses, or does not answer', async () => {
    const refusal = { __type: 'AccessDeniedException', Message: 'You may not' };
    providerAnswer = { status: 400, body: JSON.stringify(refusal) };
    const asked = 'The phone numbers of the account cannot be looked up in us-east-1';
    const allowed = 'check AWS_REGION, and that you may sms-voice:DescribePhoneNumbers there.\n';
    expect(await refused(add())).toBe(`${asked} (You may not): ${allowed}`);
    vi.stubEnv('AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2', 'http://127.0.0.1:9');
    const unanswered = await refused(add());
    expect(unanswered).toContain('ECONNREFUSED');
    expect(unanswered).toContain(allowed);
  });

  test('SMS is off, or --table leaves its topic out: other commands need none', async () => {
    outputs = { TableName: inject('tableName') };
    expect(await refused(add())).toBe(
      'SMS is off in the stage dev of us-east-1: set sms to true, and deploy it with "npx cdk deploy --all -c stage=dev".\n',
    );
    await done(args('list', ours));
    const table = ['--table', inject('tableName')];
    expect(await refused([...add(), ...table])).toBe(
      'Texts come in by the topic of the stack, which --table leaves out: do it without --table.\n',
    );
    await done(args('list', ours, ...table));
  });
});
