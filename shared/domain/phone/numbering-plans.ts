import {
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { memoizeLast } from '../../core/memoize-last.ts';

/*
 * All that needs the tables of numbering plans. Only `phone-number.ts` imports this file, and on first use: the tables are
 * large, and most invocations only read.
 */

/** A text without invisible formatting characters, which address books put around a number, and with plain spaces. */
const plain = (text: string): string =>
  text
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s/g, ' ')
    .replaceAll('＋', '+')
    .trim();

/**
 * Interpretations of a text, likeliest first. People in any country write 0011 or 00 for `+`, but the parser
 * knows only the prefix of `country`. 0011 is read as `+` first: with the prefix 00, it would begin a North
 * American number.
 */
function interpretationsOf(text: string): string[] {
  if (text.startsWith('0011')) return [`+${text.slice(4)}`, text];
  return text.startsWith('00') ? [text, `+${text.slice(2)}`] : [text];
}

/** Parses a plain text that is a valid number, perhaps with an extension. */
function parse(text: string, country: string): PhoneNumber | undefined {
  const defaultCountry = isSupportedCountry(country) ? { defaultCountry: country } : {};
  return interpretationsOf(text)
    .map((interpretation) =>
      parsePhoneNumberFromString(interpretation, { extract: false, ...defaultCountry }),
    )
    .find((parsed) => parsed?.isValid());
}

/** A text that is a phone number and nothing else, in E.164; empty for any other text. */
export function wholeNumber(text: string, country: string): string {
  const parsed = parse(plain(text), country);
  return parsed && parsed.ext === undefined ? parsed.number : '';
}

/** Digits that stand together in a text. */
interface Group {
  digits: string;
  plus: '+' | '';
  /** True if a number can begin here. A number that ends before this group is then whole. */
  begins: boolean;
  /** True if a number that began before ends before this group at the latest. */
  cuts: boolean;
}

/** Hosts of addresses, dates, and hours. Their digits belong to no phone number. */
const others = [
  /@\S*/g,
  /(?<![\d+])(?:(?:19|20)\d\d([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2(?:19|20)?\d\d)(?![-./]?\d)/g,
  /(?<![\d+])\d\d?(?:[:.]\d\d)?(?= ?[ap]\.?m\b|[\p{L}:])/giu,
];

/** Text between two groups of one number. */
const within = /^[ .()/\-‐-―−~*_]{0,5}$/;
/** Text that may also stand between two numbers. */
const between = /[/~*(]| {2}|[-‐-―−] | [-‐-―−]/;

function groupsIn(text: string): Group[] {
  const written = others.reduce(
    (rest, other) => rest.replaceAll(other, ','),
    plain(text).replaceAll(/%2B/gi, '+'),
  );
  let end = 0;
  return [...written.matchAll(/(\+[ (]*)?(\p{Nd}+)/gu)].map(
    ({ 0: { length }, 1: plus, 2: digits = '', index }) => {
      const gap = written.slice(end, index);
      const isLikeBeginning = digits.startsWith('0');
      const isApart = end === 0 || plus !== undefined || !within.test(gap);
      end = index + length;
      const isLoose = between.test(gap);
      return {
        digits,
        // No country's code begins with 0: "+0491 570 611" is a national number.
        plus: plus !== undefined && !isLikeBeginning ? '+' : '',
        begins: isApart || isLikeBeginning || isLoose,
        // The 0 in "+61 (0)2" is a group of its own, and within the number.
        cuts: isApart || (isLoose && isLikeBeginning && !gap.includes('(')),
      };
    },
  );
}

/** Longest number in digits: with a prefix such as 0011. */
const maxDigits = 19;
const minDigits = 6;
/** Maximum number of candidates in a text. Anyone can send a form. */
const maxCandidates = 100;

/**
 * Finds the phone numbers in a text, in E.164 and in their order. Beside a number may stand a scheme, a label, an extension,
 * a note or another number.
 */
export function* numbersIn(text: string, country: string): Generator<string> {
  const groups = groupsIn(text);
  let left = maxCandidates;
  for (let start = 0; start < groups.length; start++) {
    for (const { digits, end } of candidatesAt(groups, start)) {
      if (left-- === 0) return;
      const parsed = parse(digits, country);
      if (!parsed) continue;
      yield parsed.number;
      start = end - 1;
      break;
    }
  }
}

/** Texts that may be a number that begins with a group, longest first. `end` is the index of the group behind it. */
function candidatesAt(groups: readonly Group[], start: number): { digits: string; end: number }[] {
  const candidates = [];
  let digits = '';
  for (const [at, group] of groups.entries().drop(start)) {
    if (at === start ? !group.begins : group.cuts) break;
    digits += (at === start ? group.plus : '') + group.digits;
    if (digits.length > maxDigits) break;
    const end = at + 1;
    if (digits.length >= minDigits && (groups[end]?.begins ?? true)) candidates.push({ digits, end });
  }
  return candidates.reverse();
}

/** Reason to refuse a text that is no number, or has more than a number. Names the country and shows an example. */
export function refusalOf(text: string, country: string): string {
  if (parse(plain(text), country)?.ext !== undefined) return 'must be a phone number without an extension';
  const [first, second] = numbersIn(text, country);
  const isWordy = first !== undefined && /\p{L}/u.test(text);
  const wanted =
    second !== undefined
      ? 'only one phone number'
      : isWordy
        ? 'a phone number alone, without a scheme, a label or a note'
        : 'a phone number';
  return `must be ${wanted}: ${examplesFor(country)}`;
}

/** Phrase that names the country of national numbers, with a number of this country. */
const examplesFor = memoizeLast((country: string): string => {
  const example = exampleOf(country);
  const international = (example ?? exampleOf('AU'))?.formatInternational() ?? '';
  const anyCountry = `international with +, such as ${international}`;
  if (!isSupportedCountry(country)) return anyCountry;
  const name = new Intl.DisplayNames('en', { type: 'region' }).of(country);
  const such = example ? `, such as ${example.formatNational()}` : '';
  return `national (${name}) with its area code${such}, or ${anyCountry}`;
});

/** A number of a telephone line, made of the digits that stories use. Some small countries have none. */
function exampleOf(country: string): PhoneNumber | undefined {
  const ofCities = [9, 10, 8, 7, 6, 5].flatMap((length) =>
    Array.from('1234567890', (area) => `${area}555012345`.slice(0, length)),
  );
  const ofRegions = Array.from({ length: 900 }, (_, at) => `${100 + at}5550123`);
  for (const digits of [...ofCities, ...ofRegions]) {
    const parsed = parse(digits, country);
    if (parsed?.country === country && parsed.getType()?.startsWith('FIXED_LINE')) return parsed;
  }
  return undefined;
}

/** Type of a number in E.164. */
export const typeOf = (phone: string) => parsePhoneNumberFromString(phone)?.getType();

/** Ways to read the first digits of a number: international, with an international prefix, or national. */
export function beginningsIn(digits: string, country: string): string[] {
  const international = digits.replace(/^0011|^00/, '');
  if (international !== digits) return [international];
  const code = isSupportedCountry(country) ? getCountryCallingCode(country) : '';
  // Most countries write a 0 before a national number. Italy keeps it also behind the code.
  return [
    digits,
    `${code}${digits}`,
    ...(digits.startsWith('0') ? [`${code}${digits.slice(1)}`] : []),
  ].filter((one) => !one.startsWith('0'));
}
