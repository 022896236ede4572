import { getAccessTokenEndpoint } from '../../shared/contract/access-tokens.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getAccessToken } from '../../shared/domain/tokens/access-tokens.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getAccessTokenEndpoint, async ({ params, principal }) =>
  ok({ token: await getAccessToken(ledgerOf(principal), params.tokenId) }),
);
