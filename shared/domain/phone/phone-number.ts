import { invalid, type Failure } from '../../core/failure.ts';

// Loaded on first use: the tables are large, and most invocations only read.
const loadPlans = () => import('./numbering-plans.ts');

/**
 * Parses a phone number to E.164. A national number is read as a number of `country` (ISO 3166 code). The number must
 * be valid by the numbering plan of its country, but need not be in use.
 *
 * @throws Failure `invalid` naming `field`
 */
export async function toE164(phone: string, country: string, field = 'phone'): Promise<string> {
  const { wholeNumber, refusalOf } = await loadPlans();
  const number = wholeNumber(phone, country);
  if (number === '') throw invalid([{ field, message: refusalOf(phone, country) }]);
  return number;
}

/** Failure of a text from a person who is there to be asked again: it has no number that can be called. */
export async function noNumberIn(phone: string, country: string, field: string): Promise<Failure> {
  const { refusalOf } = await loadPlans();
  return invalid([{ field, message: `${refusalOf(phone, country)}. Ask for the number again` }]);
}

/**
 * The number of a changed record, as `toE164` parses it. An empty number stays empty, and an absent one absent. An
 * unchanged number is not parsed again: numbering plans change, so it may have become invalid.
 * @param before the record's number until now
 */
export async function changedToE164(
  phone: string | undefined,
  before: string,
  country: string,
  field?: string,
): Promise<string | undefined> {
  return !phone || phone === before ? phone : toE164(phone, country, field);
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
  const { typeOf } = await loadPlans();
  const type = typeOf(phone);
  return !costlyTypes.some((costly) => costly === type);
}

/** True if a phone number begins with `+`, so that it needs no country. */
export const isInternational = (phone: string): boolean => /^[\p{Cf}\s]*\+/u.test(phone);

/**
 * Beginnings of the numbers in E.164, without `+`, that somebody may mean who has typed first digits. The digits may have
 * `+`, an international prefix, or the form of a country. `country` is called only for digits without `+`.
 */
export async function beginningsOf(typed: string, country: () => Promise<string>): Promise<string[]> {
  const { beginningsIn } = await loadPlans();
  const beginnings = typed.startsWith('+') ? [typed.slice(1)] : beginningsIn(typed, await country());
  return [...new Set(beginnings.map((one) => comparableNumber(`+${one}`).slice(1)))];
}

/** `toE164`, but `""` for an invalid phone number, such as a hidden one. */
export async function validNumber(phone: string, country: string): Promise<string> {
  const { wholeNumber } = await loadPlans();
  return wholeNumber(phone, country);
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

/**
 * The first phone number in a text, in E.164, with anything beside it; empty if there is none. `country` is as in
 * `validNumberIn`.
 */
export async function firstNumberIn(country: () => Promise<string>, text: string): Promise<string> {
  const whole = await validNumberIn(country, text);
  if (whole !== '' || !/\p{Nd}/u.test(text)) return whole;
  const { numbersIn } = await loadPlans();
  const [first = ''] = numbersIn(text, await country());
  return first;
}
