import { created } from '../../shared/contract/endpoint.ts';
import { createWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { createWebhook, readSecret } from '../../shared/domain/webhooks/change-webhook.ts';
import { webhooks } from '../../shared/domain/webhooks/webhooks.ts';
import { onceStored } from '../../shared/http/once.ts';
import { secretBox, secretMaker } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { settings } from '../../shared/http/outside/settings.ts';

export const handler = serve(
  createWebhookEndpoint,
  async ({ body, principal }) => {
    const { reachesLoopback } = settings;
    const by = { ...principal, ...secretMaker, reachesLoopback };
    return created(await createWebhook(ledgerOf(principal), body, by));
  },
  onceStored(webhooks, 'webhook', async (ledger, id) => created(await readSecret(ledger, id, secretBox))),
);
