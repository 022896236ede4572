import type { Grant } from '../../ledger/index.ts';
import { hashToken, isToken } from './token.ts';

/** Reads what is granted to the token with a hash; undefined for one that is unknown. */
export type ReadGrant = (tokenHash: string) => Promise<Grant | undefined>;

/**
 * What a token grants at `now`, in epoch milliseconds; undefined for one that is malformed, unknown (as a revoked one is) or
 * expired. Reads only for a well-formed token.
 */
export async function grantOfToken(
  token: string,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> {
  if (!isToken(token)) return undefined;
  const grant = await readGrant(hashToken(token));
  const isValid = grant?.expiresAt == null || Date.parse(grant.expiresAt) > now;
  return isValid ? grant : undefined;
}
