import { ok } from '../../shared/endpoints/endpoint.ts';
import { listLeadActivities } from '../../shared/endpoints/leads.ts';
import { pageOf } from '../../shared/endpoints/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/leads/leads.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(listLeadActivities, async ({ params, query, caller }) =>
  ok(pageOf('activities', await leads.listActivities(ledgerOf(caller), params.leadId, query), query)),
);
