import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listServicesEndpoint } from '../../shared/contract/services.ts';
import { listServices } from '../../shared/domain/services/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listServicesEndpoint, async ({ query, principal }) =>
  ok(pageOf('services', await listServices(ledgerOf(principal), query), query)),
);
