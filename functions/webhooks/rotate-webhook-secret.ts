import { ok } from '../../shared/contract/endpoint.ts';
import { rotateWebhookSecretEndpoint } from '../../shared/contract/webhooks.ts';
import { readSecret, rotateWebhookSecret } from '../../shared/domain/webhooks/change-webhook.ts';
import { webhooks } from '../../shared/domain/webhooks/webhooks.ts';
import { onceStored } from '../../shared/http/once.ts';
import { secretBox, secretMaker } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  rotateWebhookSecretEndpoint,
  async ({ params, principal }) =>
    ok(await rotateWebhookSecret(ledgerOf(principal), params.webhookId, secretMaker)),
  onceStored(webhooks, 'webhook', async (ledger, id) => ok(await readSecret(ledger, id, secretBox))),
);
