import { worker } from './worker.ts';

/** The workers that send webhooks belong to the subject of webhooks. */
export const subject = 'webhooks';

export const dispatchWebhooksWorker = worker({
  name: 'dispatch-webhooks',
  summary: 'Queues each webhook of an organization that has new events',
  breaks: 'Until it runs again, webhooks are sent up to a quarter of an hour late, by sweep-webhooks.',
  on: { stream: { headsNaming: 'WEBHOOK' } },
  access: 'none',
  uses: 'webhookQueue',
  timeoutSeconds: 30,
  retries: 2,
  deadLetters: { keptDays: 14 },
});

export const sweepWebhooksWorker = worker({
  name: 'sweep-webhooks',
  summary: 'Queues each webhook that waits to try again, or that was not looked at for a quarter of an hour',
  breaks:
    'Until it runs again, webhooks with a failed receiver are not tried again, and changes that were not announced are not ' +
    'sent.',
  on: { schedule: { everyMinutes: 1 } },
  access: ['GetItem warmUp', 'Query due'],
  uses: 'webhookQueue',
  timeoutSeconds: 50,
  retries: 0,
  deadLetters: { keptDays: 14 },
});

export const sendWebhooksWorker = worker({
  name: 'send-webhooks',
  summary: 'Sends the events of a webhook in order, from where it is',
  breaks: 'Until it runs again, webhooks are not sent; they are caught up later.',
  on: { fifoQueue: { visibilitySeconds: 90 } },
  access: ['GetItem', 'Query', 'Query list', 'PutItem', 'DeleteItem', 'UpdateItem sent', 'DeleteItem cursor'],
  uses: 'webhooks',
  timeoutSeconds: 60,
  retries: 4,
  deadLetters: { keptDays: 14 },
});
