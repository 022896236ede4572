import { createHmac } from 'node:crypto';

/** As many bytes as the hash has: https://www.rfc-editor.org/rfc/rfc2104#section-3. */
const keyBytes = 32;

/** A new key of an organization, as the head keeps it: base64. */
export const newHashKey = (randomBytes: (size: number) => Uint8Array): string =>
  Buffer.from(randomBytes(keyBytes)).toString('base64');

/** The keyed hash of a text: HMAC-SHA256, base64url. */
export const hashedWith = (hashKey: string, text: string): string =>
  createHmac('sha256', Buffer.from(hashKey, 'base64')).update(text).digest('base64url');
