import { created, ok } from '../../shared/contract/endpoint.ts';
import { upsertLeadEndpoint } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { upsertLead } from '../../shared/domain/leads/upsert-lead.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(upsertLeadEndpoint, async ({ query, body, refuseOutdated, principal }) => {
  const { lead, isNew } = await upsertLead(ledgerOf(principal), query.match, body, { refuseOutdated });
  return isNew ? created({ lead }) : ok({ lead });
});
