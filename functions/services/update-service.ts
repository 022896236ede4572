import { ok } from '../../shared/contract/endpoint.ts';
import { updateServiceEndpoint } from '../../shared/contract/services.ts';
import { updateService } from '../../shared/domain/services/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateServiceEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ service: await updateService(ledgerOf(principal), params.serviceId, body, { refuseOutdated }) }),
);
