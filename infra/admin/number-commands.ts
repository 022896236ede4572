import {
  paginateDescribePhoneNumbers,
  PinpointSMSVoiceV2Client,
  type PhoneNumberInformation,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as v from 'valibot';
import { Failure } from '../../shared/core/failure.ts';
import { addNumber, listNumbers, maxNumbers, removeNumber } from '../../shared/domain/numbers/numbers.ts';
import { AdminError, messageOf } from './admin-error.ts';
import { defineCommand, type CommandContext, type CommandGroup } from './command.ts';
import { openOrganization, type OpenedOrganization } from './organization.ts';
import { columns } from './output.ts';
import type { SmsAccount } from './target.ts';
import { organization, organizationOption, phoneNumber } from './values.ts';

const numberOption = [
  '--number <number>',
  'the phone number, with its country, such as +61491570156',
] as const;

const example = 'number add --stage prod --organization 6H8EV880 --number +61491570156';

const add = defineCommand({
  name: 'add',
  summary: 'Give a phone number of the AWS account to an organization',
  details:
    'The command asks AWS for the number, and tells the settings that incoming texts still need there. Adding a number again ' +
    'changes nothing, and tells the settings that are still missing.',
  usage: '--organization CODE --number NUMBER',
  options: [organizationOption, numberOption],
  values: v.object({ organization, number: phoneNumber }),
  examples: [example],
  run: async ({ organization, number }, context) => {
    const opened = await openOrganization(organization, context);
    const account = context.smsAccount();
    const found = await usableNumber(account, number, context);
    const arn = found.PhoneNumberArn ?? '';
    const isNew = await claim(opened, { number, arn }, context);
    const steps = toSwitchOn(found, account);
    const done = isNew
      ? `${number} is a number of ${opened.title} now: texts to it are stored there, and texts go out from it.`
      : `${number} is a number of ${opened.title} already: nothing was changed.`;
    return {
      lines: [done, ...steps.flatMap(({ what, command }) => ['', what, `  ${command}`])],
      json: { organization: opened.code, number, arn, isNew, toSwitchOn: steps },
    };
  },
});

/**
 * The account's description of a phone number (E.164). @throws AdminError if the call fails, or the account
 * does not have the number or cannot send texts from it
 */
async function usableNumber(
  account: SmsAccount,
  number: string,
  { place }: CommandContext,
): Promise<PhoneNumberInformation> {
  const { region, endpoint } = account;
  const found = await describeNumber(account, number).catch((error: unknown) => {
    throw new AdminError(
      `The phone numbers of the account cannot be looked up in ${region} (${messageOf(error)}): ` +
        'check AWS_REGION, and that you may sms-voice:DescribePhoneNumbers there.',
    );
  });
  const list = `"aws pinpoint-sms-voice-v2 describe-phone-numbers --region ${region}" lists its numbers`;
  if (!found) {
    throw new AdminError(
      endpoint === undefined
        ? `The AWS account has no number ${number} in ${region}: ${list}.`
        : `There is no number ${number} ${place}: take a number that is reserved for fiction, such as +61491570156.`,
    );
  }
  const { Status = 'unknown', NumberCapabilities = [] } = found;
  if (Status !== 'ACTIVE')
    throw new AdminError(`The number ${number} is ${Status} at AWS: add it when it is ACTIVE; ${list}.`);
  if (!NumberCapabilities.includes('SMS'))
    throw new AdminError(
      `The number ${number} is for ${NumberCapabilities.join(' and ')}, not for SMS: add a number for SMS; ${list}.`,
    );
  return found;
}

async function describeNumber(
  { topicArn, ...connection }: SmsAccount,
  number: string,
): Promise<PhoneNumberInformation | undefined> {
  const client = new PinpointSMSVoiceV2Client({
    ...connection,
    requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    // The call has no filter by phone number.
    for await (const { PhoneNumbers = [] } of paginateDescribePhoneNumbers({ client, pageSize: 100 }, {})) {
      const found = PhoneNumbers.find(({ PhoneNumber }) => PhoneNumber === number);
      if (found) return found;
    }
    return undefined;
  } finally {
    client.destroy();
  }
}

/**
 * Stores the number as the organization's. Returns false if it was so already. @throws AdminError if the
 * organization cannot have it
 */
async function claim(
  { ledger, title }: OpenedOrganization,
  added: { number: string; arn: string },
  { store, freshLimits }: CommandContext,
): Promise<boolean> {
  try {
    return await addNumber(ledger, added);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { number } = added;
    if (error.kind === 'conflict') {
      const other = (await store.organizationOfPhoneNumber(number, freshLimits())) ?? 'another';
      throw new AdminError(
        `The number ${number} is one of the organization ${other}: take it from there first, with "number remove".`,
      );
    }
    if (error.kind === 'invalid') {
      throw new AdminError(
        `${title} has ${maxNumbers} numbers already, the most that an organization can have: remove one first, with "number ` +
          'remove".',
      );
    }
    throw error;
  }
}

/** Settings at the provider that incoming SMS still need, each with the command that makes it. */
function toSwitchOn(
  found: PhoneNumberInformation,
  { topicArn, region }: SmsAccount,
): { what: string; command: string }[] {
  const { PhoneNumberId, PhoneNumberArn, PoolId, TwoWayEnabled, TwoWayChannelArn } = found;
  // Settings of a pool cannot be changed at one of its numbers.
  const update =
    PoolId === undefined
      ? `update-phone-number --phone-number-id ${PhoneNumberId ?? PhoneNumberArn ?? ''}`
      : `update-pool --pool-id ${PoolId}`;
  const command = (options: string) => `aws pinpoint-sms-voice-v2 ${update} ${options} --region ${region}`;
  const isOn = TwoWayEnabled === true;
  const twoWay = {
    what: isOn
      ? `Texts to it go to ${TwoWayChannelArn ?? 'no topic'} now. Let them come in here:`
      : 'Texts to it are dropped until two-way messages are switched on:',
    command: command(`--two-way-enabled --two-way-channel-arn ${topicArn}`),
  };
  const optOuts = {
    what: 'AWS answers STOP itself, and tells no one, until the number manages its opt-outs itself:',
    command: command('--self-managed-opt-outs-enabled'),
  };
  return [
    ...(isOn && TwoWayChannelArn === topicArn ? [] : [twoWay]),
    ...(found.SelfManagedOptOutsEnabled === true ? [] : [optOuts]),
  ];
}

const list = defineCommand({
  name: 'list',
  summary:
    'List the phone numbers of an organization: its texts go out from the first, unless they answer one',
  usage: '--organization CODE',
  options: [organizationOption],
  values: v.object({ organization }),
  examples: ['number list --stage prod --organization 6H8EV880'],
  run: async ({ organization }, context) => {
    const { ledger, code, title } = await openOrganization(organization, context);
    const numbers = await listNumbers(ledger);
    const table = columns([['NUMBER', 'ARN'], ...numbers.map(({ number, arn }) => [number, arn])]);
    return {
      lines:
        numbers.length === 0
          ? [`${title} has no numbers: "number add" gives it one.`]
          : [`Numbers of ${title}`, '', ...table],
      json: { organization: code, numbers },
    };
  },
});

const remove = defineCommand({
  name: 'remove',
  summary: 'Take a phone number from an organization',
  details:
    'Sent and received texts stay. New texts to the number are not stored, and become dead letters. Leave the number unused ' +
    'for some weeks before another organization gets it: late answers, STOP too, go to the new owner.',
  usage: '--organization CODE --number NUMBER',
  options: [organizationOption, numberOption],
  values: v.object({ organization, number: phoneNumber }),
  examples: ['number remove --stage prod --organization 6H8EV880 --number +61491570156'],
  run: async ({ organization, number }, context) => {
    const { ledger, code, title } = await openOrganization(organization, context);
    if (!(await removeNumber(ledger, number)))
      throw new AdminError(`${title} has no number ${number}: "number list" shows those it has.`);
    return {
      lines: [
        `${number} is no number of ${title} any more. Texts to it become dead letters, until an organization has it or ` +
          'two-way messages are switched off at AWS.',
      ],
      json: { organization: code, number },
    };
  },
});

export const numberCommands: CommandGroup = {
  name: 'number',
  description:
    "Say which phone numbers are an organization's: texts to them are stored there, and its texts go out from them.",
  commands: [add, list, remove],
  examples: [example],
};
