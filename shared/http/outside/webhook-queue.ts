import { openWebhookQueue } from '../clients/webhook-queue.ts';

/** The queue of webhooks that the function's environment names. */
export const { queueWebhooks, hideWebhook } = openWebhookQueue(
  process.env['WEBHOOK_QUEUE_URL'] ?? '',
  Number(process.env['WEBHOOK_LANES']),
);
