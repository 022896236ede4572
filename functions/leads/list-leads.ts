import { ok } from '../../shared/contract/endpoint.ts';
import { listLeads } from '../../shared/contract/leads.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(listLeads, async ({ query, caller }) =>
  ok(pageOf('leads', await leads.listLeads(ledgerOf(caller), query), query)),
);
