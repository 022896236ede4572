import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';

/** What a token allows. Its key is the token's hash alone, since the grant is what names the organization. */
export const Grant = v.object({
  organization: OrganizationCode,
  /** The token's number among the organization's tokens. */
  tokenId: v.number(),
  /** The user that the token acts for. */
  userId: v.string(),
  /** What the token may do; the ledger does not interpret them. */
  scopes: v.array(v.string()),
  /** The websites whose forms may send it, as browsers name them in `Origin`. */
  sites: v.optional(v.array(v.string()), []),
  /** When it expires (ISO 8601), or null for never. */
  expiresAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
});
export type Grant = v.InferOutput<typeof Grant>;
