import { ok } from '../../shared/contract/endpoint.ts';
import { listLeadsEndpoint } from '../../shared/contract/leads.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { listLeads } from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listLeadsEndpoint, async ({ query, principal }) =>
  ok(pageOf('leads', await listLeads(ledgerOf(principal), query), query)),
);
