import { created } from '../../shared/endpoints/endpoint.ts';
import { createLead } from '../../shared/endpoints/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/leads/leads.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(createLead, async ({ body, caller }) =>
  created({ lead: await leads.createLead(ledgerOf(caller), body) }),
);
