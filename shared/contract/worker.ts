import type { Access } from '../ledger/index.ts';

/** Trigger of a worker, with its interval or its limits. */
export type Trigger =
  | { schedule: { everyMinutes: number } }
  /**
   * A queue for this worker alone: one message per invocation, at most `maxConcurrency` invocations at once. With
   * `isBehindTopic`, the queue gets the notifications that the SMS provider publishes to the topic of texts. A message
   * is the topic's envelope around one notification. The queue is data, because messages come in while there is no
   * service.
   */
  | { queue: { maxConcurrency: number; isBehindTopic?: true } }
  /**
   * A FIFO queue for this worker alone: one message per invocation, in order within a group. The account's concurrency
   * decides how many invocations run at once. A failed message is tried again after `visibilitySeconds`, or at the time that the worker sets
   * with `retryIn`. Until then the message's group waits, and no other group.
   */
  | { fifoQueue: { visibilitySeconds: number } }
  /** The table's stream: each new head that names records of this collection. */
  | { stream: { headsNaming: string } };

/** Trigger of one kind. */
export type TriggerOf<Kind extends string> = Extract<Trigger, Record<Kind, unknown>>;

interface Common {
  /**
   * Name in kebab-case. The function's file, its log lines and the records that are due for the worker have this name.
   */
  name: string;
  /** One sentence about its work. */
  summary: string;
  /** One sentence about what users lose while the worker fails. */
  breaks: string;
  /**
   * Actions on the table, in any organization. With `Query due`, the worker reads only records that are due for its
   * name.
   */
  access: Access;
  /**
   * Service that the worker uses besides the table: the SMS provider, or the functions of the API. `webhookQueue` is
   * the queue of webhooks that are to be sent. `webhooks` is this queue and the key of secrets. If the settings of a
   * stage turn the service off, the stage does not have the worker.
   */
  uses?: 'sms' | 'functions' | 'webhookQueue' | 'webhooks';
  /** True if leads come in by the worker. A few failed runs in an hour then start the alarm LeadsFail. */
  bringsLeads?: true;
  /** Maximum duration of one run. */
  timeoutSeconds: number;
  /** Number of days that dead letters are kept, 14 at most. */
  deadLetters: { keptDays: number };
}

/**
 * Number of retries after a failed run. For a schedule, Lambda retries at most twice: after one minute, then after two
 * minutes. https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
type Retries =
  | { on: TriggerOf<'schedule'>; retries: 0 | 1 | 2 }
  | { on: Exclude<Trigger, TriggerOf<'schedule'>>; retries: number };

type Definition = Common & Retries;

export type Worker = Definition & { readonly kind: 'worker' };

/**
 * Defines a function that runs without a request, as data. This data decides the function, its role, its trigger and
 * its dead letter queue. `resolve-sending` is exported as `resolveSendingWorker`.
 *
 * @example
 * export const sweepWebhooksWorker = worker({
 *   name: 'sweep-webhooks', // Its function is functions/workers/sweep-webhooks.ts.
 *   summary: 'Queues each webhook that waits to try again',
 *   breaks: 'Until it runs again, failed webhooks wait.', // For the alarm.
 *   on: { schedule: { everyMinutes: 1 } }, retries: 0,
 *   access: ['GetItem warmUp', 'Query due'], uses: 'webhookQueue', // For its role.
 *   timeoutSeconds: 50, deadLetters: { keptDays: 14 },
 * });
 *
 * @__NO_SIDE_EFFECTS__
 */
export function worker<const D extends Definition>(definition: D): D & { readonly kind: 'worker' } {
  return { ...definition, kind: 'worker' };
}
