import { ok } from '../../shared/contract/endpoint.ts';
import { listLeadActivitiesEndpoint } from '../../shared/contract/leads.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { listLeadActivities } from '../../shared/domain/leads/leads.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  listLeadActivitiesEndpoint,
  async ({ params, query, principal }) =>
    ok(pageOf('activities', await listLeadActivities(ledgerOf(principal), params.leadId, query), query)),
  { readTimeZone },
);
