import * as v from 'valibot';
import { foldCase } from '../core/fold-case.ts';
import { largestNumber, type IdPrefix } from '../core/ids.ts';
import { isRequired } from './field-problem.ts';
import { noOtherScheme } from './link.ts';

/** A string of a certain form, with an example for a client that sends another type. */
export const stringSuchAs = (example: string) =>
  v.string(({ received }) =>
    received === 'undefined' ? isRequired : `must be a string such as "${example}"`,
  );

/** Length of a string in Unicode code points, as JSON Schema's `maxLength` counts it. */
export const codePointsIn = (value: string): number => Array.from(value).length;

const atMost = (max: number) =>
  v.check(
    // A code point has one or two UTF-16 units, so most strings need no counting.
    (value: string) => value.length <= max || (value.length <= 2 * max && codePointsIn(value) <= max),
    `must be at most ${max} long`,
  );

/** Every schema of a string refuses lone surrogates, because DynamoDB refuses them. */
const wellFormed = v.check((value: string) => value.isWellFormed(), 'must be valid Unicode text');

/** Refuses U+FFFD: API Gateway puts this character in place of invalid UTF-8, so the original text is lost. */
const undamaged = v.check(
  (value: string) => !value.includes('\uFFFD'),
  'must be valid UTF-8, without U+FFFD, which stands for what could not be read',
);

// The OpenAPI description publishes these patterns, so the patterns use only syntax that every regex engine knows.
const lineBreaking = String.raw`\x00-\x1F\x7F-\x9F`;
const unprintable = String.raw`\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F`;
const without = (characters: string) => `^[^${characters}]*$`;
const filledWithout = (characters: string) =>
  String.raw`^[^${characters}]*[^\s${characters}][^${characters}]*$`;

const isBlank = (value: string) => value.trim() === '';
const invisible = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u;

/** True if a string is blank or has a visible character. */
export const isVisible = (value: string) => isBlank(value) || !invisible.test(value);
const visible = v.check(isVisible, 'must have a character that can be seen');
export const mustNotBeEmpty = 'must not be empty';
const notBlank = v.check((value: string) => !isBlank(value), mustNotBeEmpty);

/**
 * Text of at most `max` characters, kept unchanged. Each character takes at most four bytes, both stored and in a
 * response. A function's response has at most 6 MB of JSON. The body is a string in this JSON, so a quote in the text
 * is escaped twice.
 */
export const text = (max: number) =>
  v.pipe(
    v.string(),
    atMost(max),
    wellFormed,
    undamaged,
    // JSON writes other control characters in six bytes.
    v.check(
      (value) => !/[^\P{Cc}\t\n\r]/u.test(value),
      'must have no control characters but tabs and line breaks',
    ),
    v.metadata({ maxLength: max, pattern: without(unprintable) }),
  );

/** One line of text, such as a name. White space around it is removed. */
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

/** A `line` that is not empty. */
export const filledLine = (max: number) =>
  v.pipe(line(max), notBlank, v.metadata({ minLength: 1, pattern: filledWithout(lineBreaking) }));

/** A `text` that is not blank. */
export const filledText = (max: number) =>
  v.pipe(text(max), notBlank, visible, v.metadata({ minLength: 1, pattern: filledWithout(unprintable) }));

/**
 * Name of at most one live record. The folded name is part of a sort key. DynamoDB limits sort keys to 1024 bytes. A
 * name can come near that limit only with characters that fold into several characters.
 */
export const uniqueName = v.pipe(
  filledLine(150),
  v.check(
    // A name that is too long is not folded: normalizing many combining marks takes quadratic time.
    (value) => codePointsIn(value) > 150 || Buffer.byteLength(foldCase(value)) <= 900,
    'must be shorter, since its characters take too much room',
  ),
);

const Email = v.pipe(v.string(), v.rfcEmail());
export const isEmail = (value: string): boolean => v.is(Email, value);
export const notEmail = 'must be an email address';

/** An email address, or an empty text. */
export const emailOrEmpty = v.pipe(
  line(254),
  v.check((value) => value === '' || isEmail(value), notEmail),
);

/** Maximum number of profiles on social networks. */
export const maxSocials = 20;

/** Address of a website, with or without its scheme. */
export const website = v.pipe(line(500), noOtherScheme);

/** Profiles on social networks, by the name of the network: links or names. */
export const socials = v.pipe(
  v.record(v.pipe(text(50), v.minLength(1)), v.pipe(text(500), noOtherScheme)),
  v.maxEntries(maxSocials),
);

/**
 * Price, with the decimals of the organization's currency, which the domain checks. DynamoDB stores the price exactly,
 * because DynamoDB's numbers are decimal.
 */
export const price = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(1_000_000_000),
  v.description("With at most as many decimals as the organization's currency has"),
);

/** Point in time: ISO 8601, UTC, with milliseconds. */
export const timestamp = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  v.metadata({ format: 'date-time' }),
);

/** Matches a date and a time with an offset, as far as JavaScript reads them. */
const inputPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;
// Each example is a whole minute, because some fields take no other time.
const exampleTime = '2026-11-02T13:06:00Z';
const exampleTimes = `${exampleTime} or 2026-11-03T00:06:00+11:00`;
const notTime = `must be a time with its zone, such as ${exampleTimes}`;

export const noZone = 'has no zone';

/** Message for a text that is not a valid time. Says if the time lacks its zone. */
export const notTimestamp = (text: string, otherwise = notTime): string =>
  /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text) ? `${noZone}; send a time such as ${exampleTimes}` : otherwise;

/** True if the month has the day. JavaScript reads 30 February as 2 March. */
const isDate = (value: string) => {
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
};

const datePattern = /^\d{4}-\d\d-\d\d$/;

/** Local date from a client, such as `2026-12-25`. */
export const dateInput = v.pipe(
  stringSuchAs('2026-12-25'),
  v.check((value) => datePattern.test(value) && isDate(value), 'must be a date such as 2026-12-25'),
  v.metadata({ format: 'date', pattern: datePattern.source }),
);

/**
 * Turns a point in time from a client into a `timestamp`. Takes ISO 8601 with an offset, with or without milliseconds.
 */
export const timestampInput = v.pipe(
  stringSuchAs(exampleTime),
  v.check(
    (value) => inputPattern.test(value) && !Number.isNaN(Date.parse(value)) && isDate(value.slice(0, 10)),
    ({ input }) => notTimestamp(input),
  ),
  v.metadata({ format: 'date-time' }),
  v.transform((value) => (Number.isNaN(Date.parse(value)) ? value : new Date(value).toISOString())),
  v.check((value) => v.is(timestamp, value), notTime),
);

export const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Number of a record, counted from 1 in each collection of an organization. */
export const recordNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(largestNumber));

/** Number of a record as a string of digits, as in a path or a query. */
export const numberInPath = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,11}$/, 'must be a whole number from 1'),
  v.transform(Number),
  recordNumber,
);

/** String id: its prefix and sixteen characters of Crockford's base32 (`shared/core/ids.ts` makes them). */
export const recordId = (prefix: IdPrefix) =>
  v.pipe(
    v.string(),
    v.regex(
      new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{16}$`),
      `must be an id such as ${prefix}_6H8EV88000000001`,
    ),
  );

/**
 * Id of a record in a path. @param label completes the message "There is no such …"
 * @__NO_SIDE_EFFECTS__
 */
export const pathId = <S extends typeof numberInPath | ReturnType<typeof recordId>>(
  label: string,
  schema: S,
) => ({
  label,
  schema: v.pipe(schema, v.description(`The ${label}'s id`)),
});

/**
 * Whole number in a query string, from `min` to `max`. A number outside is refused, never clamped
 * (docs/guides/pages.md).
 */
export const wholeNumberIn = ({ min, max }: { min: number; max: number }) =>
  v.pipe(
    v.string(),
    v.regex(/^(?:0|-?[1-9]\d{0,299})$/, 'must be a whole number'),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
  );

/** The same, with a value that it has if it is left out. */
export const wholeNumber = ({ preset, ...range }: { min: number; max: number; preset: number }) =>
  v.pipe(v.optional(v.string(), String(preset)), wholeNumberIn(range), v.metadata({ default: preset }));

/** `true` or `false` in a query string. */
export const flagInQuery = v.pipe(
  v.string(),
  v.check((value) => value === 'true' || value === 'false', 'must be true or false'),
  v.transform((value) => value === 'true'),
  v.boolean(),
);

/** Names the fields of a resource that a body cannot set. The API ignores these fields if a client sends them back. */
export function readOnlyFields(resource: { entries: object }, body: { entries: object }): string[] {
  return Object.keys(resource.entries).filter((name) => !(name in body.entries));
}
