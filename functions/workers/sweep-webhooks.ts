import { sweepWebhooksWorker } from '../../shared/contract/webhook-workers.ts';
import { system } from '../../shared/http/outside/system.ts';
import { sweepWebhooks } from '../../shared/domain/webhooks/sweep-webhooks.ts';
import { dueCursors } from '../../shared/http/outside/table.ts';
import { queueWebhooks } from '../../shared/http/outside/webhook-queue.ts';
import { work } from '../../shared/http/work.ts';

export const handler = work(sweepWebhooksWorker, ({ deadline, capacity }) => {
  const now = system.now();
  const due = dueCursors(sweepWebhooksWorker.name, new Date(now).toISOString(), { deadline, capacity });
  return sweepWebhooks(due, queueWebhooks, now);
});
