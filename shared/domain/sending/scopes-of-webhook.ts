import type { Scope } from '../../contract/scopes.ts';
import type { Ledger } from '../../ledger/index.ts';
import { stateOf, tokens } from '../tokens/tokens.ts';
import type { WebhookRecord } from '../webhooks/webhooks.ts';

/**
 * Scopes that limit what a webhook gets: the scopes of the token that it acts for, or of the last token that replaces
 * it. Undefined if that token has ended. The scopes of the token's record are right, because a member's role takes no
 * scope that reads. One round trip for each token.
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
