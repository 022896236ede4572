import { created } from '../../shared/contract/endpoint.ts';
import { createServiceEndpoint } from '../../shared/contract/services.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { services, createService, getService } from '../../shared/domain/services/services.ts';

export const handler = serve(
  createServiceEndpoint,
  async ({ body, principal }) => created({ service: await createService(ledgerOf(principal), body) }),
  onceStored(services, 'service', async (ledger, id) => created({ service: await getService(ledger, id) })),
);
