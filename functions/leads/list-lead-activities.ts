import { ok } from '../../shared/contract/endpoint.ts';
import { listLeadActivities } from '../../shared/contract/leads.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(listLeadActivities, async ({ params, query, caller }) =>
  ok(pageOf('activities', await leads.listActivities(ledgerOf(caller), params.leadId, query), query)),
);
