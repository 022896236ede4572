import { dispatchWebhooksWorker } from '../../shared/contract/webhook-workers.ts';
import { dispatchWebhooks } from '../../shared/domain/webhooks/dispatch-webhooks.ts';
import { queueWebhooks } from '../../shared/http/outside/webhook-queue.ts';
import { work } from '../../shared/http/work.ts';

export const handler = work(dispatchWebhooksWorker, ({ event }) =>
  dispatchWebhooks(
    event.Records.map(({ dynamodb }) => dynamodb?.NewImage),
    queueWebhooks,
  ),
);
