import { summaryOf } from '../../shared/contract/batch.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { createLeadsEndpoint } from '../../shared/contract/lead-batch.ts';
import { createLeads } from '../../shared/domain/leads/create-leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createLeadsEndpoint, async ({ body, caller, report }) => {
  const results = await createLeads(ledgerOf(caller), body.leads, report);
  return ok({ results, summary: summaryOf(results) });
});
