import type { Scope } from '../../contract/scopes.ts';
import type { Ledger } from '../../ledger/index.ts';
import { stateOf, tokens } from '../tokens/tokens.ts';
import type { WebhookRecord } from '../webhooks/webhooks.ts';

/**
 * Scopes that bound what a webhook gets: those of the token that it acts for, or of the last one that replaces it.
 * Undefined if that one has ended. A member's role takes no scope that reads, so those of the record are right. One round
 * trip for each token.
 */
export async function scopesOf(
  ledger: Ledger,
  { tokenId }: WebhookRecord,
  now: number,
): Promise<readonly Scope[] | undefined> {
  for (let number = tokenId; number !== null;) {
    const token = await ledger.getOrUndefined({ collection: tokens, number });
    if (!token) return undefined;
    if (token.replacedBy === null) return stateOf(token, now) === 'active' ? token.scopes : undefined;
    number = token.replacedBy;
  }
  return undefined;
}
