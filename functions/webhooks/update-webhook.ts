import { ok } from '../../shared/contract/endpoint.ts';
import { updateWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { updateWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { settings } from '../../shared/http/outside/settings.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateWebhookEndpoint, async ({ params, body, refuseOutdated, principal }) => {
  const { reachesLoopback } = settings;
  const by = { ...principal, reachesLoopback, refuseOutdated };
  return ok({ webhook: await updateWebhook(ledgerOf(principal), params.webhookId, body, by) });
});
