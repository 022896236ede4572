import { createHmac } from 'node:crypto';

/** Length of the key, equal to the length of the hash: see https://www.rfc-editor.org/rfc/rfc2104#section-3. */
const keyBytes = 32;

/** Creates the hash key of an organization, base64. */
export const newHashKey = (randomBytes: (size: number) => Uint8Array): string =>
  Buffer.from(randomBytes(keyBytes)).toString('base64');

/** HMAC-SHA256 of a text, base64url. */
export const hashedWith = (hashKey: string, text: string): string =>
  createHmac('sha256', Buffer.from(hashKey, 'base64')).update(text).digest('base64url');
