import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';

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
  /** Expiry (ISO 8601), or null for never. */
  expiresAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
});
export type Grant = v.InferOutput<typeof Grant>;
