import type { Outcome } from './function-messages.ts';
import type { QueueMessage } from './queue-message.ts';

/** An event that failed at every try. */
export interface FailedEvent {
  /** The logical id of the queue that gets it. */
  queue: string;
  functionName: string;
  event: unknown;
  tries: number;
  outcome: Outcome;
}

/** A message of a queue that failed at every try. */
export interface FailedMessage {
  /** The logical id of the queue that gets it. */
  queue: string;
  /** That of the queue that it was in. */
  source: string;
  message: QueueMessage;
}

export type DeadLetter = FailedEvent | FailedMessage;
