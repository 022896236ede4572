import { isKeyScope } from '../../contract/scopes.ts';
import type { Grant } from '../../ledger/index.ts';
import { hashToken, isToken, tokenPattern } from './token.ts';

/** Reads the grant of the token with a hash; undefined if there is none. */
export type ReadGrant = (tokenHash: string) => Promise<Grant | undefined>;

/**
 * The grant of a token at `now`, in epoch milliseconds. Undefined for a token that is malformed, unknown,
 * revoked or expired. Only a well-formed token is read.
 */
async function grantOfToken(token: string, now: number, readGrant: ReadGrant): Promise<Grant | undefined> {
  if (!isToken(token)) return undefined;
  const grant = await readGrant(hashToken(token));
  const isValid = grant?.expiresAt == null || Date.parse(grant.expiresAt) > now;
  return isValid ? grant : undefined;
}

/** Pattern of an `Authorization` header. The scheme is case-insensitive (RFC 9110, section 11.1). */
export const bearerPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${tokenPattern}$`;

const bearer = new RegExp(bearerPattern);

/** Token of an `Authorization` header; empty for another scheme, too. */
const tokenIn = (authorization: string): string =>
  bearer.test(authorization) ? authorization.slice(authorization.indexOf('sk_')) : '';

/** True if an `Authorization` header has a well-formed token, which may be unknown. */
export const isBearer = (authorization: string): boolean => isToken(tokenIn(authorization));

/** The grant of an `Authorization` header, as `grantOfToken`; undefined for another scheme, too. */
export const grantOfBearer = (
  authorization: string,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> => grantOfToken(tokenIn(authorization), now, readGrant);

/**
 * The grant of the query's parameter `key`, as `grantOfToken`. Undefined if there are several values, or if the token
 * has no scope, or a scope that is not for keys. Many people see and store addresses, so an address must not give more
 * access.
 */
export async function grantOfKey(
  keys: readonly string[],
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> {
  const [token = '', ...more] = keys;
  if (more.length > 0) return undefined;
  const grant = await grantOfToken(token, now, readGrant);
  const isForKeys = grant !== undefined && grant.scopes.length > 0 && grant.scopes.every(isKeyScope);
  return isForKeys ? grant : undefined;
}
