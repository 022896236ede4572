import {
  DescribeAccountAttributesCommand,
  DescribeSpendLimitsCommand,
  paginateDescribePhoneNumbers,
  paginateDescribeRegistrations,
  paginateDescribeSenderIds,
  type PhoneNumberInformation,
  type RegistrationInformation,
  type RegistrationStatus,
  type SenderIdInformation,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { counted } from '../output.ts';
import { found, seen } from './account.ts';
import { fine, mind, stops, type Check } from './check.ts';

/**
 * A region without the service has no such host:
 * https://docs.aws.amazon.com/general/latest/gr/end-user-messaging.html
 */
const noHost = /ENOTFOUND/;

export const sms: Check = {
  name: 'SMS',
  isNeeded: (settings) => settings.sms,
  ask: async ({ account }) => {
    const { region, sms } = account;
    const answer = await found(
      'sms-voice:DescribeAccountAttributes',
      sms.send(new DescribeAccountAttributesCommand()),
      noHost,
    );
    if (!answer)
      return stops(`${region} has no AWS End User Messaging SMS: set sms to false, or choose another region`);
    const { SpendLimits = [] } = await seen(
      'sms-voice:DescribeSpendLimits',
      sms.send(new DescribeSpendLimitsCommand()),
    );
    const limit = SpendLimits.find(({ Name }) => Name === 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT')?.EnforcedLimit;
    const spend = limit === undefined ? '' : `, $${counted(limit)} a month`;
    const tier = answer.AccountAttributes?.find(({ Name }) => Name === 'ACCOUNT_TIER')?.Value ?? 'unknown';
    return tier === 'PRODUCTION'
      ? fine(`production${spend}`)
      : mind(
          `${tier.toLowerCase()}${spend}: texts go only to numbers that you verified, until AWS gives you production access`,
        );
  },
};

/** Check that no registration, number or sender id of the account still waits for somebody. */
export const senders: Check = {
  name: 'SMS registrations',
  isNeeded: (settings) => settings.sms,
  ask: async ({ account: { sms: client } }) => {
    const config = { client, pageSize: 100 };
    const [registrations, numbers, senderIds] = await Promise.all([
      all('Registrations', paginateDescribeRegistrations(config, {}), (page) => page.Registrations),
      all('PhoneNumbers', paginateDescribePhoneNumbers(config, {}), (page) => page.PhoneNumbers),
      all('SenderIds', paginateDescribeSenderIds(config, {}), (page) => page.SenderIds),
    ]);
    const waiting = [
      ...registrations.flatMap(toDoForRegistration),
      ...numbers.flatMap(toDoForNumber),
      ...senderIds.flatMap(toDoForSenderId),
    ];
    const count = numbers.length + senderIds.length;
    if (waiting.length > 0) return mind(waiting.join('; '));
    return fine(count === 0 ? 'no number and no sender id yet' : `none waits, and ${count} can send`);
  },
};

/** All entries of pages. None in a region without the service: another check says so. */
const all = async <Page, Entry>(
  what: string,
  pages: AsyncIterable<Page>,
  entriesOf: (page: Page) => Entry[] | undefined,
): Promise<Entry[]> => {
  const read = async () => {
    const entries: Entry[] = [];
    for await (const page of pages) entries.push(...(entriesOf(page) ?? []));
    return entries;
  };
  return (await found(`sms-voice:Describe${what}`, read(), noHost)) ?? [];
};

/** Statuses of a registration that needs nothing more. */
const settled: readonly RegistrationStatus[] = ['COMPLETE', 'CLOSED', 'DELETED'];
/** Steps of an operator, by the status of a registration. All other registrations wait for somebody else. */
const steps: Partial<Record<RegistrationStatus, string>> = {
  CREATED: 'submit it',
  REQUIRES_UPDATES: 'open it in the console of AWS End User Messaging',
  REQUIRES_AUTHENTICATION: 'follow the link in the email of the Campaign Registry',
};

function toDoForRegistration(one: RegistrationInformation): string[] {
  const { RegistrationType = '', RegistrationId = '', RegistrationStatus: status = 'CREATED' } = one;
  if (settled.includes(status)) return [];
  return [`${RegistrationType} ${RegistrationId} is ${status}: ${steps[status] ?? 'wait for the approval'}`];
}

const toDoForNumber = ({ PhoneNumber = '', Status = 'PENDING' }: PhoneNumberInformation): string[] =>
  Status === 'ACTIVE' ? [] : [`${PhoneNumber} is ${Status}: it cannot send until it is ACTIVE`];

/** Rule since 1 July 2026: https://www.acma.gov.au/sms-sender-id-register */
const toDoForSenderId = ({ SenderId = '', IsoCountryCode, Registered }: SenderIdInformation): string[] =>
  IsoCountryCode === 'AU' && Registered !== true
    ? [`${SenderId} is not registered in Australia: phones show "Unverified" in its place`]
    : [];
