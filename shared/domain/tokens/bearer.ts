import type { Grant } from '../../ledger/internal/grant.ts';
import { hashToken, isToken, tokenPattern } from './token.ts';

/** What an `Authorization` header must look like. The scheme's name is without case (RFC 9110, section 11.1). */
export const bearerPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${tokenPattern}$`;

const bearer = new RegExp(bearerPattern);

/**
 * What the bearer of this `Authorization` header may do at this moment (epoch milliseconds); undefined for a header of
 * another scheme or a token that is mistyped, unknown, revoked or expired. Reads only for what can be a token.
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
