import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listWebhooksEndpoint } from '../../shared/contract/webhooks.ts';
import { listWebhooks } from '../../shared/domain/webhooks/webhooks.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listWebhooksEndpoint, async ({ query, principal }) =>
  ok(pageOf('webhooks', await listWebhooks(ledgerOf(principal), query), query)),
);
