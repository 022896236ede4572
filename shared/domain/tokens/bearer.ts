import type { Grant } from '../../ledger/index.ts';
import { grantOfToken, type ReadGrant } from './grant-of-token.ts';
import { tokenPattern } from './token.ts';

/** Pattern of an `Authorization` header. The scheme is case-insensitive (RFC 9110, section 11.1). */
export const bearerPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${tokenPattern}$`;

const bearer = new RegExp(bearerPattern);

/** The grant of an `Authorization` header, as `grantOfToken`; undefined for another scheme, too. */
export async function grantOfBearer(
  authorization: string,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> {
  const token = bearer.test(authorization) ? authorization.slice(authorization.indexOf('sk_')) : '';
  return grantOfToken(token, now, readGrant);
}
