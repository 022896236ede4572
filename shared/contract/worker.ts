import type { Access } from '../ledger/index.ts';

/** Trigger of a worker, with its interval or its limits. */
export type Trigger =
  | { schedule: { everyMinutes: number } }
  /**
   * A queue of the worker's own: one message per invocation, at most `maxConcurrency` at once. With
   * `isBehindTopic`, the queue gets what the SMS provider publishes to the topic of texts: a message is the
   * topic's envelope around one notification.
   */
  | { queue: { maxConcurrency: number; isBehindTopic?: true } }
  /**
   * A FIFO queue of the worker's own: one message per invocation, in order within a group, at most
   * `maxConcurrency` at once. A message that fails is tried again after `visibilitySeconds`, or as soon as the
   * worker says by `retryIn`. Until then its group waits, and no other.
   */
  | { fifoQueue: { maxConcurrency: number; visibilitySeconds: number } }
  /**
   * The table's stream: the new heads of those organizations that name records of this collection in theirs.
   */
  | { stream: { headsNaming: string } };

/** Trigger of one kind. */
export type TriggerOf<Kind extends string> = Extract<Trigger, Record<Kind, unknown>>;

interface Common {
  /**
   * Name in kebab-case. The function's file, its log lines and the records that are due for it have the same
   * name.
   */
  name: string;
  /** One sentence about its work. */
  summary: string;
  /** One sentence about what users lose while it fails. */
  breaks: string;
  /**
   * Actions on the table, in any organization. With `Query due`, the worker reads only what is due for its own
   * name.
   */
  access: Access;
  /**
   * Service that it uses besides the table: the SMS provider, the functions of the API, the queue of webhooks to
   * send to (`webhookQueue`), or that queue and the key of secrets (`webhooks`). A stage whose settings
   * leave that service out has no such worker.
   */
  uses?: 'sms' | 'functions' | 'webhookQueue' | 'webhooks';
  /** Maximum duration of one run. */
  timeoutSeconds: number;
  /** Days for which dead letters are kept, 14 at most. */
  deadLetters: { keptDays: number };
}

/**
 * Number of retries after a failed run. For a schedule, Lambda retries at most twice: after one minute, then
 * after two. https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
type Retries =
  | { on: TriggerOf<'schedule'>; retries: 0 | 1 | 2 }
  | { on: Exclude<Trigger, TriggerOf<'schedule'>>; retries: number };

type Definition = Common & Retries;

export type Worker = Definition & { readonly kind: 'worker' };

/**
 * Defines a function that runs without a request, as data. Derived from it are the function, its role, its
 * trigger and its dead letter queue. `resolve-sending` is exported as `resolveSendingWorker`.
 * @__NO_SIDE_EFFECTS__
 */
export function worker<const D extends Definition>(definition: D): D & { readonly kind: 'worker' } {
  return { ...definition, kind: 'worker' };
}
