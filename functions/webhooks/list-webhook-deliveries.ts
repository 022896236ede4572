import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listWebhookDeliveriesEndpoint } from '../../shared/contract/webhook-deliveries.ts';
import { listWebhookDeliveries } from '../../shared/domain/webhooks/webhooks.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  listWebhookDeliveriesEndpoint,
  async ({ params, query, principal, isAllowed }) => {
    const page = await listWebhookDeliveries(ledgerOf(principal), params.webhookId, query, isAllowed);
    return ok(pageOf('deliveries', page, query));
  },
);
