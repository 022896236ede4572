import { ok } from '../../shared/contract/endpoint.ts';
import { deleteWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { deleteWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteWebhookEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteWebhook(ledgerOf(principal), params.webhookId, { refuseOutdated });
  return ok({ message: 'Webhook deleted successfully' });
});
