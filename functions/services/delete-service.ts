import { ok } from '../../shared/contract/endpoint.ts';
import { deleteServiceEndpoint } from '../../shared/contract/services.ts';
import { deleteService } from '../../shared/domain/services/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteServiceEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteService(ledgerOf(principal), params.serviceId, { refuseOutdated });
  return ok({ message: 'Service deleted successfully' });
});
