import { ok } from '../../shared/endpoints/endpoint.ts';
import { listLeads } from '../../shared/endpoints/leads.ts';
import { pageOf } from '../../shared/endpoints/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/leads/leads.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(listLeads, async ({ query, caller }) =>
  ok(pageOf('leads', await leads.listLeads(ledgerOf(caller), query), query)),
);
