import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Outcome } from '../function-messages.ts';
import { arnOf, logicalIdOf } from '../intrinsics.ts';
import type { Message } from '../messaging/message-files.ts';

/** An event that failed at every try. */
interface FailedEvent {
  /** The logical id of the queue that gets it. */
  queue: string;
  functionName: string;
  event: unknown;
  tries: number;
  outcome: Outcome;
}

/** A message of a queue that failed at every try. */
interface FailedMessage {
  /** The logical id of the queue that gets it. */
  queue: string;
  /** That of the queue that it was in. */
  source: string;
  message: Message;
}

/** What takes messages. */
export interface Sending {
  send(queue: string, body: string): void;
}

export type DeadLetter = FailedEvent | FailedMessage;

const MessageLetter = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ body: v.string(), attributes: v.object({ DeadLetterQueueSourceArn: v.string() }) }),
);

/**
 * The queues of dead letters: a file for each that has some, a letter a line. Deleting the file empties the queue.
 */
export class DeadLetters {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(letter: DeadLetter, now: number): void {
    const record = 'message' in letter ? messageLetter(letter) : eventLetter(letter, now);
    mkdirSync(this.#folder, { recursive: true });
    appendFileSync(this.#fileOf(letter.queue), `${JSON.stringify(record)}\n`);
  }

  countOf(queue: string): number {
    const file = this.#fileOf(queue);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  }

  /**
   * Puts messages back into the queues where they were, and returns how many there were. Events of schedules stay. A
   * letter is gone once it is back, so that a kill loses none.
   */
  redrive(queues: Sending): number {
    if (!existsSync(this.#folder)) return 0;
    const counts = readdirSync(this.#folder).map((name) => {
      const file = join(this.#folder, name);
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      const messages = lines.flatMap((line) => {
        const { success, output } = v.safeParse(MessageLetter, line);
        return success ? [{ line, ...output }] : [];
      });
      for (const { body, attributes } of messages)
        queues.send(logicalIdOf(attributes.DeadLetterQueueSourceArn), body);
      const stay = lines.filter((line) => messages.every((message) => message.line !== line));
      if (stay.length === 0) rmSync(file);
      else if (messages.length > 0) writeFileSync(file, stay.map((line) => `${line}\n`).join(''));
      return messages.length;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  #fileOf(queue: string): string {
    return join(this.#folder, `${queue}.jsonl`);
  }
}

/**
 * An event as Lambda sends it to the destination of failures.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
const eventLetter = ({ functionName, event, tries, outcome }: FailedEvent, now: number) => ({
  version: '1.0',
  timestamp: new Date(now).toISOString(),
  requestContext: {
    requestId: outcome.id,
    functionArn: functionName,
    condition: 'RetriesExhausted',
    approximateInvokeCount: tries,
  },
  requestPayload: event,
  responsePayload: { errorType: outcome.error?.type, errorMessage: outcome.error?.message },
});

/** A message as SQS moves it: what it was, and where from. */
const messageLetter = ({ source, message: { id, body, sentAt, receives } }: FailedMessage) => ({
  messageId: id,
  body,
  attributes: {
    SentTimestamp: String(sentAt),
    ApproximateReceiveCount: String(receives),
    DeadLetterQueueSourceArn: arnOf(source),
  },
});
