import { ok } from '../../shared/contract/endpoint.ts';
import { listTransfersEndpoint } from '../../shared/contract/transfers.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listTransfers } from '../../shared/domain/transfers/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listTransfersEndpoint, async ({ query, principal }) => {
  const { leadNowhere, ...page } = await listTransfers(ledgerOf(principal), query);
  return ok({ ...pageOf('transfers', page, query), leadNowhere });
});
