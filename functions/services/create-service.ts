import { created } from '../../shared/contract/endpoint.ts';
import { createServiceEndpoint } from '../../shared/contract/services.ts';
import { once, unlessChanged } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { services, createService, getService } from '../../shared/domain/services/services.ts';

export const handler = serve(
  createServiceEndpoint,
  async ({ body, caller }) => created({ service: await createService(ledgerOf(caller), body) }),
  once(ledgerOf, async ({ ledger }) => {
    const id = ledger.keptId(services);
    return unlessChanged(ledger, async () => created({ service: await getService(ledger, id) }), {
      service: { id },
    });
  }),
);
