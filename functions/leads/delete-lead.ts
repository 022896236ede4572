import { ok } from '../../shared/contract/endpoint.ts';
import { deleteLead } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(deleteLead, async ({ params, caller }) => {
  await leads.deleteLead(ledgerOf(caller), params.leadId);
  return ok({ message: 'Lead deleted successfully' });
});
