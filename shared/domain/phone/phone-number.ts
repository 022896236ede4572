import { Failure, invalid } from '../../core/failure.ts';

/**
 * Interpretations of a text, likeliest first. People in any country write 0011 or 00 for `+`, but the parser
 * knows only the prefix of `country`. 0011 is read as `+` first: with the prefix 00, it would begin a North
 * American number.
 */
function interpretationsOf(text: string): string[] {
  if (text.startsWith('0011')) return [`+${text.slice(4)}`, text];
  return text.startsWith('00') ? [text, `+${text.slice(2)}`] : [text];
}

/**
 * Parses a phone number to E.164. A national number is read as a number of `country` (ISO 3166 code). The number must
 * be valid by the numbering plan of its country, but need not be in use.
 *
 * @throws Failure `invalid` naming `field`
 */
export async function toE164(phone: string, country: string, field = 'phone'): Promise<string> {
  // Loaded on first use: its tables are large, and most invocations only read.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const defaultCountry = isSupportedCountry(country) ? { defaultCountry: country } : {};
  // Address books put invisible formatting characters around a number.
  const written = phone.replaceAll(/\p{Cf}/gu, '').trim();
  for (const interpretation of interpretationsOf(written)) {
    const parsed = parsePhoneNumberFromString(interpretation, { extract: false, ...defaultCountry });
    if (!parsed?.isValid()) continue;
    if (parsed.ext !== undefined) {
      throw invalid([{ field, message: 'must be a phone number without an extension' }]);
    }
    return parsed.number;
  }
  throw invalid([{ field, message: 'must be a phone number, either national or starting with +' }]);
}

/**
 * Countries that write one number in two ways, with a digit that networks add or leave out. Their numbering plans never
 * assign a number both with and without it.
 *
 * - Mexico had a 1 before mobile numbers until 2019.
 * - Argentina has a 9 before mobile numbers for calls from abroad.
 * - Brazil has put a 9 before mobile numbers of eight digits since 2012. Numbers that begin with 7 are of trunked
 *   radio, and got no 9.
 */
const writtenInTwoWays: readonly (readonly [RegExp, string])[] = [
  [/^\+521(\d{10})$/, '+52$1'],
  [/^\+549(\d{10})$/, '+54$1'],
  [/^\+55(\d\d)([689]\d{7})$/, '+55$19$2'],
];

/** Text to compare phone numbers by, for a number in E.164 or empty: the same text for each way to write it. */
export const comparableNumber = (phone: string): string =>
  writtenInTwoWays.reduce((number, [way, other]) => number.replace(way, other), phone);

/**
 * Prefixes of numbers that make an SMS cost its sender several times as much. https://www.itu.int/pub/T-SP-E.164D
 *
 * - Shared cost: 808.
 * - Satellites and networks at sea and in the air: 870, 881, 882, 883; Australia's 147.
 * - Premium rate: 979.
 * - Trial or personal numbers: 878, 888, 991.
 */
const costlyCodes = /^\+(?:808|87[08]|88[1238]|979|991|61147)/;

/**
 * Types of national numbers that cost as much as these prefixes. Personal numbers, such as Britain's 070, are often as
 * dear as premium rate.
 */
const costlyTypes = ['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER'] as const;

/**
 * True if SMS may be sent to a number in E.164: false if an SMS would cost several times as much. Loads the tables of
 * numbers, as `toE164` does.
 */
export async function takesSms(phone: string): Promise<boolean> {
  if (costlyCodes.test(phone)) return false;
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const type = parsePhoneNumberFromString(phone)?.getType();
  return !costlyTypes.some((costly) => costly === type);
}

/** True if a phone number begins with `+`, so that it needs no country. */
export const isInternational = (phone: string): boolean => /^[\p{Cf}\s]*\+/u.test(phone);

/** `toE164`, but `""` for an invalid phone number, such as a hidden one. */
export async function validNumber(phone: string, country: string): Promise<string> {
  try {
    return await toE164(phone, country);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return '';
    throw error;
  }
}

/**
 * A phone number in E.164; empty if the number is missing, hidden or not valid. A national number is read as a number
 * of the country; `country` is called only then.
 */
export async function validNumberIn(country: () => Promise<string>, phone: string): Promise<string> {
  // A text without digits, such as "anonymous", is a number in no country.
  if (!/\p{Nd}/u.test(phone)) return '';
  return validNumber(phone, isInternational(phone) ? '' : await country());
}
