import { ok } from '../../shared/contract/endpoint.ts';
import { getWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { getWebhook } from '../../shared/domain/webhooks/webhooks.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getWebhookEndpoint, async ({ params, principal }) =>
  ok({ webhook: await getWebhook(ledgerOf(principal), params.webhookId) }),
);
