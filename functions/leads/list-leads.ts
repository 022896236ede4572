import { ok } from '../../shared/contract/endpoint.ts';
import { listLeadsEndpoint, maxCreatedInRange } from '../../shared/contract/leads.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { listLeads } from '../../shared/domain/leads/list-leads.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listLeadsEndpoint, async ({ query, principal }) => {
  const { hasMore, ...page } = await listLeads(ledgerOf(principal), query);
  const isRange = query.createdFrom !== undefined || query.createdTo !== undefined;
  const shown = isRange ? { ...query, limit: maxCreatedInRange } : query;
  return ok({ ...pageOf('leads', page, shown), ...(hasMore !== undefined && { hasMore }) });
});
