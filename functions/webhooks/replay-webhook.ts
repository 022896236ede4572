import { ok } from '../../shared/contract/endpoint.ts';
import { replayWebhookEndpoint } from '../../shared/contract/webhooks.ts';
import { replayWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { getWebhook } from '../../shared/domain/webhooks/webhooks.ts';
import { once, unlessChanged } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(
  replayWebhookEndpoint,
  async ({ params: { webhookId: id }, body, caller }) =>
    ok({ webhook: await replayWebhook(ledgerOf(caller), id, body.after) }),
  once(
    ledgerOf,
    ({
      ledger,
      request: {
        params: { webhookId: id },
      },
    }) =>
      unlessChanged(
        ledger,
        async () => ok({ webhook: await getWebhook(ledger, id) }),
        { webhook: { id } },
        200,
      ),
  ),
);
