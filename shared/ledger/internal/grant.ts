import * as v from 'valibot';
import { scopes } from '../../contract/endpoint.ts';
import { timestamp } from '../../contract/fields.ts';
import { OrganizationCode } from '../../core/ids.ts';

/** What a token allows its bearer: found by the token's hash alone, since it is what names the organization. */
export const Grant = v.object({
  organization: OrganizationCode,
  /** The token's number among the organization's tokens. */
  tokenId: v.number(),
  /** The user that the token acts for. */
  userId: v.string(),
  scopes: v.array(v.picklist(scopes)),
  /** The moment it expires, or null for never. */
  expiresAt: v.nullable(timestamp),
});
export type Grant = v.InferOutput<typeof Grant>;
