import type { WorkerFunction } from '../../../infra/functions.ts';
import { worker } from '../../../shared/contract/worker.ts';

const common = {
  summary: 'Works',
  breaks: 'Nobody knows.',
  timeoutSeconds: 40,
  deadLetters: { keptDays: 14 },
};

/**
 * A worker of each kind. `texted` receives the SMS provider's notifications, `ordered` what `streamed` queues.
 */
export const workersOfEachKind: WorkerFunction[] = [
  worker({
    ...common,
    name: 'timed',
    on: { schedule: { everyMinutes: 5 } },
    access: ['GetItem', 'Query due', 'PutItem'],
    retries: 2,
  }),
  worker({ ...common, name: 'queued', on: { queue: { maxConcurrency: 4 } }, access: 'get', retries: 9 }),
  worker({
    ...common,
    name: 'texted',
    on: { queue: { maxConcurrency: 2, isBehindTopic: true } },
    uses: 'sms',
    bringsLeads: true,
    access: 'get',
    retries: 5,
  }),
  worker({
    ...common,
    name: 'ordered',
    on: { fifoQueue: { visibilitySeconds: 60 } },
    uses: 'webhooks',
    access: 'get',
    retries: 3,
  }),
  worker({
    ...common,
    name: 'streamed',
    on: { stream: { headsNaming: 'FLAG' } },
    uses: 'webhookQueue',
    access: 'none',
    retries: 2,
  }),
].map((definition) => ({
  kind: 'worker',
  worker: definition,
  entry: `functions/workers/${definition.name}.ts`,
}));
