import { created } from '../../shared/contract/endpoint.ts';
import { createWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { createWebhook, readSecret } from '../../shared/domain/webhooks/change-webhook.ts';
import { webhooks } from '../../shared/domain/webhooks/webhooks.ts';
import { onceStored } from '../../shared/http/idempotency.ts';
import { secretBox, secretMaker } from '../../shared/http/secret-box.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { reachesLoopback } from '../../shared/http/reaches-loopback.ts';

export const handler = serve(
  createWebhookEndpoint,
  async ({ body, principal }) =>
    created(
      await createWebhook(ledgerOf(principal), body, { ...principal, ...secretMaker, reachesLoopback }),
    ),
  onceStored(ledgerOf, webhooks, 'webhook', async (ledger, id) =>
    created(await readSecret(ledger, id, secretBox)),
  ),
);
