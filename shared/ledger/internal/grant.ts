import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';

/** What a token allows its bearer: found by the token's hash alone, since it is what names the organization. */
export const Grant = v.object({
  organization: OrganizationCode,
  /** The token's number among the organization's tokens. */
  tokenId: v.number(),
  /** The user that the token acts for. */
  userId: v.string(),
  /** What it may do, in the words of whoever checks it. */
  scopes: v.array(v.string()),
  /** The moment it expires, or null for never. */
  expiresAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
});
export type Grant = v.InferOutput<typeof Grant>;
