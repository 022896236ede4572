import { ok } from '../../shared/contract/endpoint.ts';
import { updateLeadEndpoint } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { updateLead } from '../../shared/domain/leads/update-lead.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateLeadEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ lead: await updateLead(ledgerOf(principal), params.leadId, body, { refuseOutdated }) }),
);
