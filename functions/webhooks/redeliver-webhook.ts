import { ok } from '../../shared/contract/endpoint.ts';
import { redeliverWebhookEndpoint } from '../../shared/contract/webhook-deliveries.ts';
import { redeliverWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  redeliverWebhookEndpoint,
  async ({ params, principal }) => ok({ eventId: await redeliverWebhook(ledgerOf(principal), params) }),
  once(({ ledger }) => ok({ eventId: Number(ledger.replayData) })),
);
