import { updateAccessTokenEndpoint } from '../../shared/contract/access-tokens.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { updateAccessToken } from '../../shared/domain/tokens/access-tokens.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  updateAccessTokenEndpoint,
  async ({ params, body, refuseOutdated, principal, scopes }) => {
    const conditions = { refuseOutdated, by: { ...principal, scopes } };
    return ok({ token: await updateAccessToken(ledgerOf(principal), params.tokenId, body, conditions) });
  },
);
