import * as v from 'valibot';

/** The largest record number: a sort key has twelve decimal digits. */
export const largestNumber = 999_999_999_999;

/** The prefixes of string ids. */
export const idPrefixes = [
  'lead',
  'user',
  'inquiry',
  'company',
  'appointment',
  'call',
  'email',
  'chatbot',
  'webform',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** Crockford's base32: no I, L, O or U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 8;

/** An organization's 40-bit code in base32, a part of keys and of record ids. */
export const OrganizationCode = v.pipe(
  v.string(),
  v.regex(/^[0-9A-HJKMNP-TV-Z]{8}$/),
  v.brand('OrganizationCode'),
);
export type OrganizationCode = v.InferOutput<typeof OrganizationCode>;

const epochLength = 6;

/** The name of an organization's numbering of events, 30 bits in base32. */
export const Epoch = v.pipe(v.string(), v.regex(/^[0-9A-HJKMNP-TV-Z]{6}$/));

function encode(value: number): string {
  let text = '';
  for (let rest = value; text.length < codeLength; rest = Math.floor(rest / 32)) {
    text = alphabet.charAt(rest % 32) + text;
  }
  return text;
}

function decode(text: string): number {
  let value = 0;
  for (const character of text) value = value * 32 + alphabet.indexOf(character);
  return value;
}

/** Creates an organization's code. `random` returns numbers in [0, 1). */
export function newOrganizationCode(random: () => number): OrganizationCode {
  return v.parse(OrganizationCode, encode(Math.floor(random() * 2 ** 40)));
}

/** Draws an epoch. */
export const newEpoch = (randomBytes: (size: number) => Uint8Array): string =>
  Array.from(randomBytes(epochLength), (byte) => alphabet.charAt(byte % alphabet.length)).join('');

/** The public id of the record with this number, unique across organizations. `numberOf` is its inverse. */
export function recordId(prefix: IdPrefix, organization: OrganizationCode, number: number): string {
  return `${prefix}_${organization}${encode(number)}`;
}

/**
 * The record number in a public id; undefined if it is no id with this prefix of this organization. So an
 * id of another organization costs no read, and is answered like an id that never existed.
 */
export function numberOf(prefix: IdPrefix, organization: OrganizationCode, id: string): number | undefined {
  const start = `${prefix}_${organization}`;
  const rest = id.slice(start.length);
  if (!id.startsWith(start) || !/^[0-9A-HJKMNP-TV-Z]{8}$/.test(rest)) return undefined;
  const number = decode(rest);
  return number >= 1 && number <= largestNumber ? number : undefined;
}

/** The record number in a public id of any organization. @throws Error for a text that is no public id */
export function numberInId(id: string): number {
  const [, rest] = /_[0-9A-HJKMNP-TV-Z]{8}([0-9A-HJKMNP-TV-Z]{8})$/.exec(id) ?? [];
  if (rest === undefined) throw new Error('A text is no id of a record');
  return decode(rest);
}
