import { listAccessTokensEndpoint } from '../../shared/contract/access-tokens.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listAccessTokens } from '../../shared/domain/tokens/access-tokens.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listAccessTokensEndpoint, async ({ query, principal }) =>
  ok(pageOf('tokens', await listAccessTokens(ledgerOf(principal), query), query)),
);
