import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 30;
const checksumLength = 6;

export const tokenModes = ['live', 'test'] as const;
export type TokenMode = (typeof tokenModes)[number];

export const tokenPattern = `sk_(?:${tokenModes.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}`;

const wholeToken = new RegExp(`^${tokenPattern}$`);

/** Returns uniformly random bytes: `randomBytes` of node:crypto, except in the demo data. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * Creates a token: 30 random characters and a checksum. By the checksum, scanners recognize a token, and a typo costs
 * no read.
 */
export function newToken(mode: TokenMode, randomBytes: RandomBytes): string {
  const start = `sk_${mode}_${randomText(randomBytes)}`;
  return start + checksum(start);
}

/** True if a text has a token's form and a valid checksum. */
export function isToken(text: string): boolean {
  return wholeToken.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)));
}

/** Stored hash of a token. No salt is needed, because 178 random bits cannot be guessed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Random characters. Bytes from 248 up are dropped, so that every character is equally likely. */
function randomText(randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < secretLength) {
    for (const byte of randomBytes(secretLength)) {
      if (byte < 248 && text.length < secretLength) text += base62.charAt(byte % 62);
    }
  }
  return text;
}

function checksum(start: string): string {
  let text = '';
  for (let rest = crc32(start); text.length < checksumLength; rest = Math.floor(rest / 62)) {
    text = base62.charAt(rest % 62) + text;
  }
  return text;
}
