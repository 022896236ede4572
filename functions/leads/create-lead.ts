import { created } from '../../shared/contract/endpoint.ts';
import { createLead } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createLead, async ({ body, caller }) =>
  created({ lead: await leads.createLead(ledgerOf(caller), body) }),
);
