import { hashToken, isToken, tokenPattern } from './token.ts';
import type { Grant } from '../../ledger/index.ts';

/** The pattern of an `Authorization` header. The scheme is case-insensitive (RFC 9110, section 11.1). */
export const bearerPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${tokenPattern}$`;

const bearer = new RegExp(bearerPattern);

/**
 * The grant of an `Authorization` header at `now`, in epoch milliseconds; undefined for another scheme, or a
 * token that is malformed, unknown (as a revoked one is) or expired. Reads only for a well-formed token.
 */
export async function grantOfBearer(
  authorization: string,
  now: number,
  grantOf: (tokenHash: string) => Promise<Grant | undefined>,
): Promise<Grant | undefined> {
  const token = bearer.test(authorization) ? authorization.slice(authorization.indexOf('sk_')) : '';
  if (!isToken(token)) return undefined;
  const grant = await grantOf(hashToken(token));
  const valid = grant?.expiresAt == null || Date.parse(grant.expiresAt) > now;
  return valid ? grant : undefined;
}
