import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';

/** The permissions of a token. The key has only the token's hash, so the grant names the organization. */
export const Grant = v.object({
  organization: OrganizationCode,
  /** Number of the token's record. */
  tokenId: v.number(),
  /** The user that the token acts for. */
  userId: v.string(),
  /** Scopes of the token. The ledger does not interpret them. */
  scopes: v.array(v.string()),
  /** Websites that may send the token from their forms, in the format of the header `Origin`. */
  sites: v.array(v.string()),
  /** Encrypted secret for the sender's signatures of requests with the token; absent if the sender need not sign. */
  signingSecret: v.exactOptional(v.string()),
  /** The secret before it, which still signs until a time (ISO 8601). */
  formerSecret: v.exactOptional(v.object({ encrypted: v.string(), until: v.string() })),
  /** Expiry (ISO 8601), or null for never. */
  expiresAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
  /** Day (UTC) of the last use that the authorizer has noted; absent before the first use. */
  lastUsedOn: v.exactOptional(v.string()),
});
export type Grant = v.InferOutput<typeof Grant>;

const Use = v.object({ organization: OrganizationCode, lastUsedOn: v.optional(v.string()) });

/**
 * Day of the last use that a grant notes. Undefined for a grant of another organization, and for a damaged grant: a token
 * with a damaged grant can still be revoked.
 */
export function lastUseIn(item: Item, organization: OrganizationCode): string | undefined {
  const { success, output } = v.safeParse(Use, item);
  return success && output.organization === organization ? output.lastUsedOn : undefined;
}
