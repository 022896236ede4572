import { ok } from '../../shared/contract/endpoint.ts';
import { updateTransferEndpoint } from '../../shared/contract/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { updateTransfer } from '../../shared/domain/transfers/transfers.ts';

export const handler = serve(updateTransferEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({
    transfer: await updateTransfer(ledgerOf(principal), params.transferId, body, { refuseOutdated }),
  }),
);
