import { ok } from '../../shared/contract/endpoint.ts';
import { testWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { testWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  testWebhookEndpoint,
  async ({ params, principal }) => ok({ eventId: await testWebhook(ledgerOf(principal), params.webhookId) }),
  once(({ ledger }) => ok({ eventId: Number(ledger.replayData) })),
);
