import type { Access } from '../ledger/index.ts';

/** What calls a worker, and how often or how much of it at once. */
export type Trigger =
  | { schedule: { everyMinutes: number } }
  /** The table's changes, in order for each record; at most this many per batch. */
  | { stream: { maxRecords: number } }
  /**
   * A queue of the worker's own: one message per invocation, at most this many at once. Behind a topic of the worker's
   * own, too, where others publish what it is to do: a message is then the topic's envelope with what was published.
   */
  | { queue: { maxConcurrency: number; isBehindTopic?: true } }
  /** A topic of the worker's own: one message per invocation. */
  | { topic: Record<string, never> };

/** The trigger of one kind. */
export type TriggerOf<Kind extends string> = Extract<Trigger, Record<Kind, unknown>>;

interface Common {
  /** In kebab-case. Names its function's file, its log lines and the records that are due for it. */
  name: string;
  /** What it does. */
  summary: string;
  /** What users lose while it fails, in one sentence. */
  breaks: string;
  /** What it does to the table, in any organization. With `due`, it reads what is due for its own name. */
  access: Access;
  /** What it uses besides the table. What is behind a topic and uses SMS is told by the provider what comes in. */
  uses?: 'sms';
  /** How long one run may take. */
  timeoutSeconds: number;
  /** How many days (14 at most) dead letters are kept. */
  deadLetters: { keptDays: number };
}

/**
 * How often a failed run is retried. For a schedule or a topic, Lambda retries at most twice: after one
 * minute, then after two.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
type Retries =
  | { on: TriggerOf<'schedule'> | TriggerOf<'topic'>; retries: 0 | 1 | 2 }
  | { on: TriggerOf<'stream'> | TriggerOf<'queue'>; retries: number };

type Definition = Common & Retries;

export type Worker = Definition & { readonly kind: 'worker' };

/**
 * Defines what runs without a request, as data. From it come the function, its role, its trigger and its dead
 * letter queue. `resolve-sending` is exported as `resolveSendingWorker`.
 * @__NO_SIDE_EFFECTS__
 */
export function worker<const D extends Definition>(definition: D): D & { readonly kind: 'worker' } {
  return { ...definition, kind: 'worker' };
}

/** Whether a worker is what the provider of SMS tells of texts that come in, and of what became of those that went out. */
export const isToldOfTexts = ({ on, uses }: Worker): boolean =>
  uses === 'sms' && 'queue' in on && on.queue.isBehindTopic === true;
