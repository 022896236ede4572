import { ok } from '../../shared/contract/endpoint.ts';
import { getServiceEndpoint } from '../../shared/contract/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { getService } from '../../shared/domain/services/services.ts';

export const handler = serve(getServiceEndpoint, async ({ params, principal }) =>
  ok({ service: await getService(ledgerOf(principal), params.serviceId) }),
);
