import { ok } from '../../shared/endpoints/endpoint.ts';
import { getLead } from '../../shared/endpoints/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/leads/leads.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(getLead, async ({ params, caller }) =>
  ok({ lead: await leads.getLead(ledgerOf(caller), params.leadId) }),
);
