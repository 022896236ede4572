import { createAccessTokenEndpoint } from '../../shared/contract/access-tokens.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { createAccessToken, readIssued } from '../../shared/domain/tokens/access-tokens.ts';
import { tokens } from '../../shared/domain/tokens/tokens.ts';
import { onceStored } from '../../shared/http/once.ts';
import { makerFor } from '../../shared/http/maker.ts';
import { secretBox } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createAccessTokenEndpoint,
  async ({ body, principal, scopes }) =>
    created({ token: await createAccessToken(ledgerOf(principal), body, makerFor(principal, scopes)) }),
  onceStored(tokens, 'token', async (ledger, id) =>
    created({ token: await readIssued(ledger, id, secretBox) }),
  ),
);
