import type { Outcome } from './function-messages.ts';
import type { QueueMessage } from './queue-message.ts';

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

export type DeadLetter = FailedEvent | FailedMessage;
