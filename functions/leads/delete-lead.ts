import { ok } from '../../shared/contract/endpoint.ts';
import { deleteLeadEndpoint } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { deleteLead } from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteLeadEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteLead(ledgerOf(principal), params.leadId, { refuseOutdated });
  return ok({ message: 'Lead deleted successfully' });
});
