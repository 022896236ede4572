import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { System } from '../../../shared/core/system.ts';
import type { ConsumedCapacity } from '../../../shared/ledger/index.ts';
import { costOf, troublesOf } from '../functions/cost.ts';
import type { Outcome } from '../functions/function-messages.ts';
import { localMessageOf } from '../local-error.ts';

/** A run of a worker, for the terminal. */
export interface WorkerRun {
  /** Name of the worker, or of its function if it wrote no log line. */
  name: string;
  /** Number of things that the worker processed, if it logs that. */
  done: number | undefined;
  /** Attempts to send events to receivers of webhooks. */
  attempts: readonly v.InferOutput<typeof LoggedAttempt>[];
  /** Consequence for the event of a failed run; undefined if the run succeeded. */
  failed: 'is tried again' | 'is a dead letter' | 'is lost' | undefined;
  milliseconds: number;
  consumed: ConsumedCapacity;
  /** Errors, and other output of the function. */
  troubles: string[];
}

/**
 * Invokes a function. Undefined if no function has that name any more.
 * @throws Error if the current sources do not run
 */
export type InvokeWorker = (functionName: string, event: unknown) => Promise<Outcome | undefined>;

/** Dependencies of the classes that call workers. */
export interface WorkerDependencies {
  clock: Pick<System, 'now' | 'sleep'>;
  invoke: InvokeWorker;
  /** Receives every run. */
  onRun: (run: WorkerRun) => void;
  /**
   * Stores an event that failed at every attempt.
   * @throws LocalError if it cannot be stored
   */
  keepDeadLetter: (letter: DeadLetter) => void;
}

/** Outcome if the current sources do not run. */
export function failureOf(error: unknown): Outcome {
  const message = localMessageOf(error);
  return { id: randomUUID(), error: { type: 'Error', message, stack: message }, output: '' };
}

const LoggedAttempt = v.object({
  webhook: v.number(),
  event: v.number(),
  type: v.string(),
  status: v.optional(v.number()),
  failure: v.optional(v.string()),
  milliseconds: v.number(),
});

const LogLine = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    operation: v.string(),
    done: v.optional(v.number()),
    attempts: v.optional(v.array(LoggedAttempt), []),
  }),
);

/** Facts about a run from the worker's own log line. */
export function logOf(
  outcome: Outcome,
  functionName: string,
): Pick<WorkerRun, 'name' | 'done' | 'attempts' | 'consumed' | 'troubles'> {
  const { error, ...logged } = outcome;
  const [line] = outcome.output.split('\n').flatMap((text) => {
    const { success, output } = v.safeParse(LogLine, text);
    return success ? [output] : [];
  });
  // The log line has the error that the function threw, unless the function failed before it could log.
  const troubles = troublesOf([line ? logged : outcome]);
  const { endpoint: consumed } = costOf([outcome]);
  const { operation = functionName, done, attempts = [] } = line ?? {};
  return { name: operation, done, attempts, consumed, troubles };
}

/** A message in a queue. */
export const QueueMessage = v.object({
  id: v.string(),
  body: v.string(),
  /** Epoch milliseconds. */
  sentAt: v.number(),
  /** Number of times that a function received the message. */
  receives: v.number(),
  /** Place in a FIFO queue: the group, the deduplication id, and a number that is greater than all before. */
  place: v.exactOptional(v.object({ group: v.string(), deduplication: v.string(), sequence: v.number() })),
});
export type QueueMessage = v.InferOutput<typeof QueueMessage>;

/** An event that failed at every attempt. */
export interface FailedEvent {
  /** Logical id of the dead-letter queue. */
  queue: string;
  functionName: string;
  event: unknown;
  tries: number;
  outcome: Outcome;
}

/** A queue's message that failed at every attempt. */
export interface FailedMessage {
  /** Logical id of the dead-letter queue. */
  queue: string;
  /** Logical id of the queue that the message was in. */
  source: string;
  message: QueueMessage;
}

/** Records of a stream that failed at every attempt. */
export interface FailedRecords {
  /** Logical id of the dead-letter queue. */
  queue: string;
  functionName: string;
  table: string;
  /** Sequence numbers of the first and of the last record. */
  first: string;
  last: string;
  size: number;
  tries: number;
  outcome: Outcome;
}

export type DeadLetter = FailedEvent | FailedMessage | FailedRecords;
