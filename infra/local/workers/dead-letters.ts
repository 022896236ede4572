import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { appendLine, writeAtomically } from '../files.ts';
import { arnOf, logicalIdOf, streamArnOf } from '../arns.ts';
import type { DeadLetter, FailedEvent, FailedMessage, FailedRecords } from './worker-run.ts';

/** A receiver of messages: the queues. `place` is the message's place in a FIFO queue. */
export interface MessageSender {
  send(queue: string, body: string, place?: { group: string; deduplication: string }): void;
}

const MessageLetter = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    body: v.string(),
    attributes: v.object({
      DeadLetterQueueSourceArn: v.string(),
      MessageGroupId: v.optional(v.string()),
    }),
  }),
);

type LetterLine = v.InferOutput<typeof MessageLetter> & { line: string };

/**
 * Dead-letter queues, as one file per queue with one letter per line. Deleting the file empties the queue.
 */
export class DeadLetters {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws LocalError if it cannot be stored */
  add(letter: DeadLetter, now: number): void {
    const record =
      'message' in letter
        ? messageLetter(letter)
        : 'event' in letter
          ? eventLetter(letter, now)
          : recordsLetter(letter, now);
    appendLine(this.#fileOf(letter.queue), JSON.stringify(record));
  }

  /**
   * Puts messages back into their queues, and returns their number. Events of schedules and records of streams stay. A letter is
   * removed after it is back, so that a kill loses none.
   */
  redrive(queues: MessageSender): number {
    let count = 0;
    for (const { file, lines, messages } of this.#read()) {
      for (const { body, attributes } of messages) {
        const { DeadLetterQueueSourceArn: source, MessageGroupId: group } = attributes;
        // Its former deduplication id could still be known.
        const place = group === undefined ? undefined : { group, deduplication: randomUUID() };
        queues.send(logicalIdOf(source), body, place);
      }
      keepOthers(file, lines, messages);
      count += messages.length;
    }
    return count;
  }

  /** Bodies of the messages. */
  get bodies(): string[] {
    return this.#read().flatMap(({ messages }) => messages.map(({ body }) => body));
  }

  /** Removes messages. */
  remove(bodies: ReadonlySet<string>): void {
    for (const { file, lines, messages } of this.#read())
      keepOthers(
        file,
        lines,
        messages.filter(({ body }) => bodies.has(body)),
      );
  }

  /** Reads each file: all its lines, and the lines that are messages. */
  #read(): { file: string; lines: string[]; messages: LetterLine[] }[] {
    if (!existsSync(this.#folder)) return [];
    const names = readdirSync(this.#folder).filter((name) => name.endsWith('.jsonl'));
    return names.map((name) => {
      const file = join(this.#folder, name);
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      const messages = lines.flatMap((line) => {
        const { success, output } = v.safeParse(MessageLetter, line);
        return success ? [{ line, ...output }] : [];
      });
      return { file, lines, messages };
    });
  }

  #fileOf(queue: string): string {
    return join(this.#folder, `${queue}.jsonl`);
  }
}

/** Removes the lines of the given letters from a file. */
function keepOthers(file: string, lines: readonly string[], letters: readonly LetterLine[]): void {
  if (letters.length === 0) return;
  const gone = new Set(letters.map(({ line }) => line));
  const stay = lines.filter((line) => !gone.has(line));
  if (stay.length === 0) rmSync(file);
  else writeAtomically(file, stay.map((line) => `${line}\n`).join(''));
}

/**
 * Record of a failed event, as Lambda sends it to the destination for failures.
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

/** Record of a failed message, as SQS moves it: the message and its source queue. */
const messageLetter = ({ source, message: { id, body, sentAt, receives, place } }: FailedMessage) => ({
  messageId: id,
  body,
  attributes: {
    SentTimestamp: String(sentAt),
    ApproximateReceiveCount: String(receives),
    DeadLetterQueueSourceArn: arnOf(source),
    ...(place && { MessageGroupId: place.group, MessageDeduplicationId: place.deduplication }),
  },
});

/**
 * Place of failed records in their stream, as Lambda sends it to the destination for failures, without the records.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
const recordsLetter = (
  { functionName, table, first, last, size, tries, outcome }: FailedRecords,
  now: number,
) => ({
  version: '1.0',
  timestamp: new Date(now).toISOString(),
  requestContext: {
    requestId: outcome.id,
    functionArn: functionName,
    condition: 'RetryAttemptsExhausted',
    approximateInvokeCount: tries,
  },
  responseContext: { functionError: outcome.error?.type },
  DDBStreamBatchInfo: {
    streamArn: streamArnOf(table),
    startSequenceNumber: first,
    endSequenceNumber: last,
    batchSize: size,
  },
});
