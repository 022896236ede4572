import { smsArn } from '../arns.ts';

/**
 * Mobile numbers that Australia reserves for fiction. The stand-in for the SMS provider has all of them.
 * https://www.acma.gov.au/phone-numbers-use-tv-shows-films-and-creative-works
 */
const fictional = [
  '570006 570110 570156 570157 570158 570159 570313 570737 571266 571491',
  '571804 572549 572665 572983 573087 573770 574118 574632 575254 575789',
  '576398 576801 577426 577644 578148 578888 578957 579212 579455 579760',
]
  .join(' ')
  .split(' ')
  .map((end) => `+61491${end}`);

/** Numbers per page by default. */
const defaultLimit = 10;

const idOf = (number: string) => `phone-${number.slice(1)}`;

/** ARN of a number (E.164) of the stand-in. */
export const numberArnOf = (number: string) => `${smsArn}:phone-number/${idOf(number)}`;

/**
 * Phone number in an identity's ARN, such as …:phone-number/phone-61491570737. The last part of the ARN if it
 * has no number.
 */
export function numberOfIdentity(identity: string): string {
  const name = identity.slice(identity.lastIndexOf('/') + 1);
  return name.replace(/^phone-(?=\d)/, '+');
}

/** One number as the provider describes it, with everything enabled that incoming SMS need. */
function described(number: string, textsTopicArn: string | undefined) {
  return {
    PhoneNumberArn: numberArnOf(number),
    PhoneNumberId: idOf(number),
    PhoneNumber: number,
    Status: 'ACTIVE',
    IsoCountryCode: 'AU',
    MessageType: 'TRANSACTIONAL',
    NumberCapabilities: ['SMS'],
    NumberType: 'LONG_CODE',
    MonthlyLeasingPrice: '0.00',
    TwoWayEnabled: textsTopicArn !== undefined,
    ...(textsTopicArn !== undefined && { TwoWayChannelArn: textsTopicArn }),
    SelfManagedOptOutsEnabled: true,
    OptOutListName: 'Default',
    DeletionProtectionEnabled: false,
    CreatedTimestamp: Date.parse('2026-01-01') / 1000,
  };
}

/** One page of the numbers, as `DescribePhoneNumbers` answers. Undefined for an unknown token. */
export function describePhoneNumbers(
  {
    MaxResults = defaultLimit,
    NextToken = '0',
  }: { MaxResults?: number | undefined; NextToken?: string | undefined },
  textsTopicArn: string | undefined,
) {
  const begin = Number(NextToken);
  if (!Number.isInteger(begin) || begin < 0 || begin >= fictional.length) return undefined;
  const end = begin + MaxResults;
  return {
    PhoneNumbers: fictional.slice(begin, end).map((number) => described(number, textsTopicArn)),
    ...(end < fictional.length && { NextToken: String(end) }),
  };
}
