import { rotateKeySecretEndpoint } from '../../shared/contract/access-tokens.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getAccessToken, rotateKeySecret } from '../../shared/domain/tokens/access-tokens.ts';
import { tokens } from '../../shared/domain/tokens/tokens.ts';
import { onceStored } from '../../shared/http/once.ts';
import { makerFor } from '../../shared/http/maker.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  rotateKeySecretEndpoint,
  async ({ params, body, principal, scopes }) =>
    ok({
      token: await rotateKeySecret(ledgerOf(principal), params.tokenId, body, makerFor(principal, scopes)),
    }),
  onceStored(tokens, 'token', async (ledger, id) => ok({ token: await getAccessToken(ledger, id) })),
);
