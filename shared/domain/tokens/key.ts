import { isKeyScope } from '../../contract/scopes.ts';
import type { Grant } from '../../ledger/index.ts';
import { grantOfToken, type ReadGrant } from './grant-of-token.ts';

/**
 * The grant of the query's parameter `key`, as `grantOfToken`. Undefined if there are several values, or if
 * the token has other scopes than those of keys: addresses are seen and stored by many, so an address must
 * not give more access.
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
