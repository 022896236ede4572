import { rotateAccessTokenEndpoint } from '../../shared/contract/access-tokens.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { readIssued, rotateAccessToken } from '../../shared/domain/tokens/access-tokens.ts';
import { tokens } from '../../shared/domain/tokens/tokens.ts';
import { onceStored } from '../../shared/http/once.ts';
import { makerFor } from '../../shared/http/maker.ts';
import { secretBox } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  rotateAccessTokenEndpoint,
  async ({ params, body, principal, scopes }) =>
    ok({
      token: await rotateAccessToken(ledgerOf(principal), params.tokenId, body, makerFor(principal, scopes)),
    }),
  onceStored(tokens, 'token', async (ledger, id) => ok({ token: await readIssued(ledger, id, secretBox) })),
);
