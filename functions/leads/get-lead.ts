import { ok } from '../../shared/contract/endpoint.ts';
import { getLeadEndpoint } from '../../shared/contract/leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { getLead } from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  getLeadEndpoint,
  async ({ params, principal }) => ok({ lead: await getLead(ledgerOf(principal), params.leadId) }),
  { readTimeZone },
);
