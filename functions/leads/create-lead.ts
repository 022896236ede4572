import { created } from '../../shared/contract/endpoint.ts';
import { createLeadEndpoint } from '../../shared/contract/leads.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { leads } from '../../shared/domain/leads/lead-record.ts';
import { createLead, getLead } from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createLeadEndpoint,
  async ({ body, principal }) => created({ lead: await createLead(ledgerOf(principal), body) }),
  onceStored(leads, 'lead', async (ledger, id) => created({ lead: await getLead(ledger, id) })),
);
