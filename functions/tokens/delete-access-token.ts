import { deleteAccessTokenEndpoint } from '../../shared/contract/access-tokens.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { revokeToken } from '../../shared/domain/tokens/tokens.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteAccessTokenEndpoint, async ({ params, principal, scopes }) => {
  await revokeToken(ledgerOf(principal), params.tokenId, { ...principal, scopes });
  return ok({ message: 'Token revoked successfully' });
});
