import * as v from 'valibot';

/** The largest number a record can have: what twelve decimal digits, the width of a sort key, can hold. */
export const largestNumber = 999_999_999_999;

/** DynamoDB refuses strings with lone surrogates, so no schema lets one in. */
const wellFormed = v.check((value: string) => value.isWellFormed(), 'must be valid Unicode text');

const singleLine = v.check((value: string) => !/\p{Cc}/u.test(value), 'must be a single line of text');

/** Anything but tabs and line breaks: what JSON writes with six bytes, and nobody can read. */
const printable = v.check(
  (value: string) => !/[^\P{Cc}\t\n\r]/u.test(value),
  'must have no control characters but tabs and line breaks',
);

/**
 * Text kept as given, of at most `max` UTF-16 units. In an answer each takes at most four bytes: a function's answer, of at
 * most 6 MB, holds the body as a string, so a quote is escaped twice.
 */
export const text = (max: number) => v.pipe(v.string(), v.maxLength(max), wellFormed, printable);

/** One line of text, such as a name: white space around it is dropped. */
export const line = (max: number) => v.pipe(v.string(), v.trim(), v.maxLength(max), wellFormed, singleLine);

const notEmpty = 'must not be empty';

/** One line of text that says something. */
export const filledLine = (max: number) => v.pipe(line(max), v.minLength(1, notEmpty));

/** Text that says something. */
export const filledText = (max: number) => v.pipe(text(max), v.regex(/\S/, notEmpty));

/**
 * How long a name can be that is unique in its organization, in UTF-16 units: in lower case and composed, each becomes
 * at most six bytes of a sort key, which holds 1024.
 */
export const uniqueNameLength = 150;

/** A price, to the cent: exact as a decimal number, as DynamoDB keeps it. */
export const price = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(1_000_000_000),
  v.check((value) => Number(value.toFixed(2)) === value, 'must have at most two decimals'),
  v.description('With at most two decimals'),
);

/** A moment: ISO 8601, UTC, milliseconds. */
export const timestamp = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  v.metadata({ format: 'date-time' }),
);

export const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The number of a record: counts up from 1 within an organization. */
export const recordNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(largestNumber));

/** The number of a record as it stands in a path. */
export const numberInPath = v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/), v.transform(Number), recordNumber);

export const idPrefixes = [
  'lead',
  'user',
  'inquiry',
  'company',
  'call',
  'email',
  'chatbot',
  'webform',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** A string id: its prefix and sixteen characters of Crockford's base32 (`shared/ledger/ids.ts` makes them). */
export const recordId = (prefix: IdPrefix) =>
  v.pipe(v.string(), v.regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{16}$`)));

/**
 * A whole number in a query string, from `min` to `max`; out of range is refused, never clamped
 * (specification, section 4, rule 3).
 */
export const wholeNumber = ({ min, max, preset }: { min: number; max: number; preset: number }) =>
  v.pipe(
    v.optional(v.string(), String(preset)),
    v.regex(/^-?\d{1,300}$/, 'must be a whole number'),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
    v.metadata({ default: preset }),
  );

/** The fields of a resource that a body cannot set: sent back by a client, they are ignored. */
export function readOnlyFields(resource: { entries: object }, body: { entries: object }): string[] {
  return Object.keys(resource.entries).filter((name) => !(name in body.entries));
}
