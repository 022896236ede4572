import { created } from '../../shared/contract/endpoint.ts';
import { createLeadEndpoint } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createLeadEndpoint, async ({ body, caller }) =>
  created({ lead: await createLead(ledgerOf(caller), body) }),
);
