import { created } from '../../shared/contract/endpoint.ts';
import { createTransferEndpoint } from '../../shared/contract/transfers.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { transfers, createTransfer, getTransfer } from '../../shared/domain/transfers/transfers.ts';

export const handler = serve(
  createTransferEndpoint,
  async ({ body, principal }) => created({ transfer: await createTransfer(ledgerOf(principal), body) }),
  onceStored(transfers, 'transfer', async (ledger, id) =>
    created({ transfer: await getTransfer(ledger, id) }),
  ),
);
