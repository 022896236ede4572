import { createHmac, timingSafeEqual } from 'node:crypto';

/** Request of a voice platform. Names of headers are in lower case. */
export interface SignedRequest {
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

const minute = 60_000;

/**
 * True if a request is signed with a secret in a platform's way. A signature is valid for 5 or 30 minutes.
 *
 * - Retell: `x-retell-signature: v=<milliseconds>,d=<hex>` of the body and the time. 5 minutes.
 * - ElevenLabs: `elevenlabs-signature: t=<seconds>,v0=<hex>` of `time.body`. 30 minutes.
 * - Vapi: a credential of the kind HMAC with its defaults, `x-signature: <hex>` of `time.body` with `x-timestamp`, in seconds or
 *   milliseconds. 30 minutes.
 * - Vapi's `x-vapi-secret`, and `authorization: Bearer …`, which any of them can send: the secret itself.
 *
 * Each signature is an HMAC-SHA256. The libraries retell-sdk (`Retell.verify`) and @elevenlabs/elevenlabs-js
 * (`webhooks.constructEvent`) verify the first two.
 *
 * @param now epoch milliseconds
 */
export function isSigned({ headers, text }: SignedRequest, secret: string, now: number): boolean {
  const { authorization = '' } = headers;
  const [, time = '', digest = ''] =
    /^v=(\d+),d=([0-9a-f]+)$/i.exec(headers['x-retell-signature'] ?? '') ?? [];
  if (digest !== '') return isNear(time, now, 5 * minute) && isHmac(digest, secret, `${text}${time}`);
  const [, second = '', code = ''] =
    /^t=(\d+),v0=([0-9a-f]+)$/i.exec(headers['elevenlabs-signature'] ?? '') ?? [];
  if (code !== '') return isNear(second, now, 30 * minute) && isHmac(code, secret, `${second}.${text}`);
  const [signature, at] = [headers['x-signature'], headers['x-timestamp'] ?? ''];
  if (signature !== undefined)
    return isNear(at, now, 30 * minute) && isHmac(signature, secret, `${at}.${text}`);
  return isSame(headers['x-vapi-secret'] ?? authorization.replace(/^Bearer +/i, ''), secret);
}

/** Times before this are in seconds. */
const firstMilliseconds = 1e11;

/** True if a time, in seconds or milliseconds, is at most `distance` milliseconds from now. */
function isNear(text: string, now: number, distance: number): boolean {
  const time = Number(text);
  if (!/^\d{1,15}$/.test(text)) return false;
  return Math.abs(now - (time < firstMilliseconds ? time * 1000 : time)) <= distance;
}

const isHmac = (hex: string, secret: string, signed: string): boolean =>
  isSame(hex.toLowerCase(), createHmac('sha256', secret).update(signed).digest('hex'));

/** Compares two texts in a time that does not tell where they differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
