import { ok } from '../../shared/contract/endpoint.ts';
import { getLead } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(getLead, async ({ params, caller }) =>
  ok({ lead: await leads.getLead(ledgerOf(caller), params.leadId) }),
);
