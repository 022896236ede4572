import type { Grant } from '../../ledger/index.ts';
import { hashToken, isToken } from './token.ts';

/** Reads the grant of the token with a hash; undefined if there is none. */
export type ReadGrant = (tokenHash: string) => Promise<Grant | undefined>;

/**
 * The grant of a token at `now`, in epoch milliseconds. Undefined for a token that is malformed, unknown,
 * revoked or expired. Only a well-formed token is read.
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
