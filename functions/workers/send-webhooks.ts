import * as v from 'valibot';
import { sendWebhooksWorker } from '../../shared/contract/webhook-workers.ts';
import { system } from '../../shared/http/outside/system.ts';
import { sendWebhooks } from '../../shared/domain/sending/send-webhooks.ts';
import { WebhookMessage } from '../../shared/domain/webhooks/message.ts';
import { postWebhook as post } from '../../shared/http/outside/post-webhook.ts';
import { secretBox as box } from '../../shared/http/outside/secrets.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { hideWebhook, queueWebhooks as queue } from '../../shared/http/outside/webhook-queue.ts';
import { workInOrder } from '../../shared/http/work.ts';

export const handler = workInOrder(
  sendWebhooksWorker,
  async ({ event, reach, deadline, capacity, retryIn, attempted, count }) => {
    let all = 0;
    for (const { body } of event.Records) {
      const message = v.parse(WebhookMessage, JSON.parse(body));
      const principal = { organization: message.organization, userId: 'system', reach, deadline, capacity };
      const [ledger, reader] = [ledgerOf(principal), ledgerOf(principal, { isSerializable: true })];
      const sending = { ledger, reader, post, box, queue, system, deadline, attempted, count };
      const { sent, retryIn: wait } = await sendWebhooks(message, sending);
      if (wait !== undefined) retryIn(wait);
      all += sent;
    }
    return all;
  },
  hideWebhook,
);
