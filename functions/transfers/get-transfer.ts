import { ok } from '../../shared/contract/endpoint.ts';
import { getTransferEndpoint } from '../../shared/contract/transfers.ts';
import { getTransfer } from '../../shared/domain/transfers/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getTransferEndpoint, async ({ params, principal }) =>
  ok({ transfer: await getTransfer(ledgerOf(principal), params.transferId) }),
);
