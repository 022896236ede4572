import { smsArn } from './intrinsics.ts';

/**
 * The mobile numbers that Australia keeps free for fiction, all of which the stand-in for the SMS provider has.
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

/** How many numbers a page has unless it is asked for more or fewer. */
const defaultLimit = 10;

const idOf = (number: string) => `phone-${number.slice(1)}`;

/** The ARN of a number (E.164) of the stand-in's. */
export const numberArnOf = (number: string) => `${smsArn}:phone-number/${idOf(number)}`;

/** The number of an identity's ARN, such as …:phone-number/phone-61491570737; its last part where it has none. */
export function numberOfIdentity(identity: string): string {
  const name = identity.slice(identity.lastIndexOf('/') + 1);
  return name.replace(/^phone-(?=\d)/, '+');
}

/** One number, as the provider describes it: with all switched on that texts which come in need. */
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

/** A page of the numbers, as `DescribePhoneNumbers` answers; undefined for a token that no page has. */
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
