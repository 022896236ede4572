import { ok } from '../../shared/contract/endpoint.ts';
import { updateWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { updateWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { reachesLoopback } from '../../shared/http/reaches-loopback.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(updateWebhookEndpoint, async ({ params, body, refuseOutdated, caller }) => {
  const by = { ...caller, reachesLoopback, refuseOutdated };
  return ok({ webhook: await updateWebhook(ledgerOf(caller), params.webhookId, body, by) });
});
