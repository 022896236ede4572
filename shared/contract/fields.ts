import * as v from 'valibot';
import { foldCase } from '../core/fold-case.ts';
import { largestNumber, type IdPrefix } from '../core/ids.ts';

/** How many characters a text has: Unicode code points, as JSON Schema's `maxLength` counts them. */
export const lengthOf = (value: string): number => Array.from(value).length;

const atMost = (max: number) =>
  v.check(
    // A code point is one or two UTF-16 units, so most texts need no counting.
    (value: string) => value.length <= max || (value.length <= 2 * max && lengthOf(value) <= max),
    `must be at most ${max} long`,
  );

/** DynamoDB refuses lone surrogates, so no schema lets one in. */
const wellFormed = v.check((value: string) => value.isWellFormed(), 'must be valid Unicode text');

/** API Gateway puts U+FFFD in the place of what is not UTF-8: what it was is lost. */
const damaged = 'must be valid UTF-8, without U+FFFD, which stands for what could not be read';
const undamaged = v.check((value: string) => !value.includes('\uFFFD'), damaged);

// The patterns stand in the API's description, so they are written as every regular expression engine reads them.
const lineBreaking = String.raw`\x00-\x1F\x7F-\x9F`;
const unprintable = String.raw`\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F`;
const without = (characters: string) => `^[^${characters}]*$`;
const filledWithout = (characters: string) =>
  String.raw`^[^${characters}]*[^\s${characters}][^${characters}]*$`;

const isBlank = (value: string) => value.trim() === '';
const invisible = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u;
const unseen = 'must have a character that can be seen';

/** Whether a text has a character that can be seen, or is empty. */
export const isVisible = (value: string) => isBlank(value) || !invisible.test(value);
const visible = v.check(isVisible, unseen);

/** What is said of values that could once be stored: they may stay where a record has them. */
export const laterRules: ReadonlySet<string> = new Set([damaged, unseen]);
const notBlank = v.check((value: string) => !isBlank(value), 'must not be empty');

/**
 * Text kept as given, of at most `max` characters, each of at most four bytes as it is stored. In an answer too: a function
 * answers with at most 6 MB, in which the body is a string, so that a quote is escaped twice.
 */
export const text = (max: number) =>
  v.pipe(
    v.string(),
    atMost(max),
    wellFormed,
    undamaged,
    // Anything but tabs and line breaks: what JSON writes with six bytes, and nobody can read.
    v.check(
      (value) => !/[^\P{Cc}\t\n\r]/u.test(value),
      'must have no control characters but tabs and line breaks',
    ),
    v.metadata({ maxLength: max, pattern: without(unprintable) }),
  );

/** One line of text, such as a name: white space around it is dropped. */
export const line = (max: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    atMost(max),
    wellFormed,
    undamaged,
    v.check((value) => !/\p{Cc}/u.test(value), 'must be a single line of text'),
    visible,
    v.metadata({ maxLength: max, pattern: without(lineBreaking) }),
  );

/** One line of text that says something. */
export const filledLine = (max: number) =>
  v.pipe(line(max), notBlank, v.metadata({ minLength: 1, pattern: filledWithout(lineBreaking) }));

/** Text that says something. */
export const filledText = (max: number) =>
  v.pipe(text(max), notBlank, visible, v.metadata({ minLength: 1, pattern: filledWithout(unprintable) }));

/**
 * A name that at most one live record has. Folded, it is a part of a sort key, which holds 1024 bytes; only characters that
 * each decompose into several come near that.
 */
export const uniqueName = v.pipe(
  filledLine(150),
  v.check(
    // Of one that is too long anyway nothing is folded: to sort marks that combine takes quadratic time.
    (value) => lengthOf(value) > 150 || Buffer.byteLength(foldCase(value)) <= 900,
    'must be shorter, since its characters take too much room',
  ),
);

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

/** A string id: its prefix and sixteen characters of Crockford's base32 (`shared/core/ids.ts` makes them). */
export const recordId = (prefix: IdPrefix) =>
  v.pipe(v.string(), v.regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{16}$`)));

/**
 * A whole number in a query string, from `min` to `max`; out of range is refused, never clamped
 * (specification, section 4, rule 3).
 */
export const wholeNumber = ({ min, max, preset }: { min: number; max: number; preset: number }) =>
  v.pipe(
    v.optional(v.string(), String(preset)),
    v.regex(/^(?:0|-?[1-9]\d{0,299})$/, 'must be a whole number'),
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
