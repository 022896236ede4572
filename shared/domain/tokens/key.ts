import { isKeyScope } from '../../contract/scopes.ts';
import type { Grant } from '../../ledger/index.ts';
import { grantOfToken, type ReadGrant } from './grant-of-token.ts';

/**
 * The grant of the values of the query's parameter `key`, as `grantOfToken` has it. Undefined too where there are several values,
 * and for a token of any other kind: addresses are seen and kept by many, so what else it allows must not be had by one.
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
