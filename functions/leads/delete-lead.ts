import { ok } from '../../shared/endpoints/endpoint.ts';
import { deleteLead } from '../../shared/endpoints/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/leads/leads.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(deleteLead, async ({ params, caller }) => {
  await leads.deleteLead(ledgerOf(caller), params.leadId);
  return ok({ message: 'Lead deleted successfully' });
});
