import { ok } from '../../shared/contract/endpoint.ts';
import { deleteTransferEndpoint } from '../../shared/contract/transfers.ts';
import { deleteTransfer } from '../../shared/domain/transfers/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteTransferEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteTransfer(ledgerOf(principal), params.transferId, { refuseOutdated });
  return ok({ message: 'Transfer deleted successfully' });
});
