import { ok } from '../../shared/contract/endpoint.ts';
import { replayWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { replayWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { getWebhook, webhooks } from '../../shared/domain/webhooks/webhooks.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  replayWebhookEndpoint,
  async ({ params: { webhookId: id }, body, principal }) =>
    ok({ webhook: await replayWebhook(ledgerOf(principal), id, body.after) }),
  onceStored(webhooks, 'webhook', async (ledger, id) => ok({ webhook: await getWebhook(ledger, id) })),
);
