import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { writeAtomically } from '../files.ts';
import { accountId, arnOf, region } from '../arns.ts';
import { tryOrReport } from '../local-error.ts';
import type { Outcome } from '../functions/function-messages.ts';
import type { WorkQueue } from '../template/messaging.ts';
import {
  failureOf,
  logOf,
  QueueMessage,
  type WorkerDependencies,
  type WorkerRun,
} from '../workers/worker-run.ts';

/** A message that is not done. */
interface Waiting extends QueueMessage {
  /** A function may receive the message from this time on, in epoch milliseconds. */
  visibleAt: number;
  isUnderWay: boolean;
  /** Handle of the last receipt. */
  receipt: string;
  /** Epoch milliseconds until which the function hid the message; undefined if it has not. */
  hiddenUntil?: number | undefined;
}

/** Place of a message that is sent to a FIFO queue. */
export interface FifoPlace {
  group: string;
  deduplication: string;
}

/**
 * A FIFO queue takes messages with the same deduplication id for the same message during this time, in
 * milliseconds.
 */
const deduplicationTime = 5 * 60_000;

export interface QueueDependencies extends WorkerDependencies {
  /** Folder of the messages that are not done; undefined to keep them in memory. */
  folder: string | undefined;
}

/**
 * SQS queues that call a function, with Lambda's event source mappings. Each message is delivered at least
 * once, in no promised order. A failed message is tried again after the visibility timeout, and becomes a
 * dead letter after the last attempt.
 *
 * In a FIFO queue, the messages of a group are received in order, one after the other. A message there that a function
 * wants again counts as failed. A start forgets the deduplication ids of messages that were done.
 */
export class Queues {
  readonly #dependencies: QueueDependencies;
  readonly #files: MessageFiles;
  /** Messages that are not done, by queue and id. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  /** Messages of the last minutes by group and deduplication id, for each FIFO queue, the oldest first. */
  readonly #known = new Map<string, Map<string, QueueMessage>>();
  #lastSequence = 0;
  #queues: ReadonlyMap<string, WorkQueue> = new Map();
  #isOpen = false;

  constructor(dependencies: QueueDependencies) {
    this.#dependencies = dependencies;
    this.#files = new MessageFiles(dependencies.folder);
  }

  /** Replaces the queues. A queue that stays keeps its messages. */
  keep(queues: readonly WorkQueue[]): void {
    this.#queues = new Map(queues.map((queue) => [queue.id, queue]));
    for (const { id } of queues) {
      if (this.#waiting.has(id)) continue;
      // Messages of an earlier start are visible at once: the invocations that had them ended with that
      // start.
      const left = this.#files.read(id);
      this.#waiting.set(id, new Map(left.map((message) => [message.id, waitingFrom(message, 0)])));
      for (const message of left) this.#remember(id, message);
    }
    this.#receiveAll();
  }

  /** Begins to call functions. */
  open(): void {
    this.#isOpen = true;
    this.#receiveAll();
  }

  /**
   * Calls no more functions, and ignores the outcomes of calls under way. The next start repeats those calls.
   */
  stop(): void {
    this.#isOpen = false;
  }

  /**
   * Puts a message into a queue, unless a FIFO queue already knows the message. Once this returns, the next start
   * has the message, however this start ends.
   * @returns the message, or the known one
   * @throws LocalError if it cannot be stored
   */
  send(queue: string, body: string, place?: FifoPlace): QueueMessage {
    const now = this.#dependencies.clock.now();
    const known = place && this.#knownAs(queue, place, now);
    if (known) return known;
    // Greater than the numbers of an earlier start, which are in files.
    const sequence = Math.max(this.#lastSequence + 1, now * 1000);
    const message = {
      id: randomUUID(),
      body,
      sentAt: now,
      receives: 0,
      ...(place && { place: { ...place, sequence } }),
    };
    this.#files.write(queue, message);
    this.#lastSequence = sequence;
    this.#remember(queue, message);
    this.#waiting.get(queue)?.set(message.id, waitingFrom(message, now));
    this.#receive(queue);
    return message;
  }

  /**
   * Hides a message that a function is processing. A function receives it again after that time, unless it is done.
   * @returns false if the receipt is of no such message
   */
  hide(queue: string, receipt: string, milliseconds: number): boolean {
    for (const message of this.#waiting.get(queue)?.values() ?? []) {
      if (message.receipt !== receipt || !message.isUnderWay) continue;
      message.hiddenUntil = this.#dependencies.clock.now() + milliseconds;
      return true;
    }
    return false;
  }

  has(queue: string): boolean {
    return this.#queues.has(queue);
  }

  /** Bodies of the messages that are not done. */
  get bodies(): string[] {
    return [...this.#waiting.values()].flatMap((messages) => [...messages.values()].map(({ body }) => body));
  }

  /** Removes messages, even if a function is processing them. */
  remove(bodies: ReadonlySet<string>): void {
    for (const [queue, messages] of this.#waiting)
      for (const { id, body } of messages.values()) if (bodies.has(body)) this.#remove(queue, id);
  }

  /** Number of messages that a function could receive now. */
  countOf(queue: string): number {
    const now = this.#dependencies.clock.now();
    return [...(this.#waiting.get(queue)?.values() ?? [])].filter((message) => isVisible(message, now))
      .length;
  }

  #receiveAll(): void {
    for (const id of this.#queues.keys()) this.#receive(id);
  }

  /** Calls the queue's function with visible messages, up to the queue's concurrency. */
  #receive(id: string): void {
    const queue = this.#queues.get(id);
    if (!queue || !this.#isOpen) return;
    const messages = [...(this.#waiting.get(id)?.values() ?? [])];
    const now = this.#dependencies.clock.now();
    const free = queue.maxConcurrency - messages.filter(({ isUnderWay }) => isUnderWay).length;
    const candidates = queue.isFifo ? firstOfGroups(messages) : messages;
    const next = candidates.filter((message) => isVisible(message, now)).slice(0, Math.max(0, free));
    for (const message of next) void this.#run(queue, message);
  }

  async #run(queue: WorkQueue, message: Waiting): Promise<void> {
    const { clock, invoke, onRun } = this.#dependencies;
    message.isUnderWay = true;
    message.receives++;
    message.receipt = randomUUID();
    message.hiddenUntil = undefined;
    // The message stays in its file even if this fails. Then the next start counts one attempt less.
    tryOrReport(() => {
      this.#files.write(queue.id, withoutState(message));
    });
    const startedAt = performance.now();
    const outcome = await invoke(queue.functionName, eventOf(queue, message, clock.now())).catch(failureOf);
    if (!this.#isOpen) return;
    message.isUnderWay = false;
    // A function that no longer exists counts as failed.
    const hasFailed = outcome === undefined || outcome.error !== undefined;
    const isWanted = !hasFailed && queue.isFifo && wantsAgain(outcome, message.id);
    const failed = hasFailed || isWanted ? this.#fail(queue, message) : undefined;
    if (!hasFailed && !isWanted) this.#end(queue.id, message.id);
    if (outcome)
      onRun({
        ...logOf(outcome, queue.functionName),
        // A message that its function wants again is no failure.
        failed: isWanted && failed === 'is tried again' ? undefined : failed,
        milliseconds: performance.now() - startedAt,
      });
    this.#receive(queue.id);
  }

  /** Retries a failed message, or makes it a dead letter. Returns which. */
  #fail(queue: WorkQueue, message: Waiting): WorkerRun['failed'] {
    const { clock, keepDeadLetter } = this.#dependencies;
    // The message was removed meanwhile.
    if (!this.#waiting.get(queue.id)?.has(message.id)) return 'is lost';
    const { deadLetters } = queue;
    if (deadLetters !== undefined && message.receives >= queue.maxReceives) {
      const letter = { queue: deadLetters, source: queue.id, message: withoutState(message) };
      const isKept = tryOrReport(() => {
        keepDeadLetter(letter);
      });
      if (isKept) this.#end(queue.id, message.id);
      if (isKept) return 'is a dead letter';
    }
    const { hiddenUntil = clock.now() + queue.visibilityTimeout } = message;
    message.visibleAt = hiddenUntil;
    void clock.sleep(hiddenUntil - clock.now()).then(() => {
      this.#receive(queue.id);
    });
    return 'is tried again';
  }

  /**
   * Removes a done message. If its file cannot be removed, the next start calls the function again, which
   * at-least-once delivery allows.
   */
  #end(queue: string, id: string): void {
    tryOrReport(() => {
      this.#remove(queue, id);
    });
  }

  #remove(queue: string, id: string): void {
    this.#waiting.get(queue)?.delete(id);
    this.#files.remove(queue, id);
  }

  /**
   * Finds the known message that a FIFO queue takes a sent message for. Forgets the messages that are too
   * old.
   */
  #knownAs(queue: string, place: FifoPlace, now: number): QueueMessage | undefined {
    const known = this.#known.get(queue);
    for (const [name, { sentAt }] of known ?? []) {
      if (sentAt > now - deduplicationTime) break;
      known?.delete(name);
    }
    return known?.get(nameOf(place));
  }

  #remember(queue: string, message: QueueMessage): void {
    const { place } = message;
    if (!place) return;
    const known = this.#known.get(queue) ?? new Map<string, QueueMessage>();
    this.#known.set(queue, known.set(nameOf(place), message));
  }
}

const nameOf = ({ group, deduplication }: FifoPlace) => JSON.stringify([group, deduplication]);

const waitingFrom = (message: QueueMessage, visibleAt: number): Waiting => ({
  ...message,
  visibleAt,
  isUnderWay: false,
  receipt: '',
});

/** The first message of each group, whether it is visible or not: the others of its group wait for it. */
function firstOfGroups(messages: readonly Waiting[]): Waiting[] {
  const first = new Map<string, Waiting>();
  for (const message of messages) {
    const { group = '' } = message.place ?? {};
    if (!first.has(group)) first.set(group, message);
  }
  return [...first.values()];
}

const BatchAnswer = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ batchItemFailures: v.array(v.object({ itemIdentifier: v.string() })) }),
);

/** True if a function's answer leaves a message in its queue. */
function wantsAgain({ result }: Outcome, id: string): boolean {
  const answer = v.safeParse(BatchAnswer, result);
  return (
    answer.success && answer.output.batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === id)
  );
}

const isVisible = ({ isUnderWay, visibleAt }: Waiting, now: number) => !isUnderWay && visibleAt <= now;

const withoutState = ({ id, body, sentAt, receives, place }: Waiting): QueueMessage => ({
  id,
  body,
  sentAt,
  receives,
  ...(place && { place }),
});

/** Builds the event of a function. https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
function eventOf(
  { id: queue }: WorkQueue,
  { id, receipt, body, sentAt, receives, place }: Waiting,
  now: number,
): object {
  const record = {
    messageId: id,
    receiptHandle: receipt,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: accountId,
      ApproximateFirstReceiveTimestamp: String(now),
      ...(place && {
        MessageGroupId: place.group,
        MessageDeduplicationId: place.deduplication,
        SequenceNumber: String(place.sequence),
      }),
    },
    messageAttributes: {},
    md5OfBody: createHash('md5').update(body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: arnOf(queue),
    awsRegion: region,
  };
  return { Records: [record] };
}

const orderOf = ({ sentAt, place }: QueueMessage) => place?.sequence ?? sentAt;

/**
 * Files of the messages in queues, one per message until it is done, so that the next start has them even
 * after a kill. Without a folder, nothing is kept.
 */
export class MessageFiles {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /**
   * Reads the messages that are left in a queue, the oldest first. Deletes files that a kill left half
   * written: their senders were never told that the message is stored.
   */
  read(queue: string): QueueMessage[] {
    const folder = this.#folderOf(queue);
    if (folder === undefined || !existsSync(folder)) return [];
    for (const name of readdirSync(folder))
      if (name.endsWith('.draft')) rmSync(join(folder, name), { force: true });
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) =>
        v.parse(v.pipe(v.string(), v.parseJson(), QueueMessage), readFileSync(join(folder, name), 'utf8')),
      )
      .toSorted((one, other) => orderOf(one) - orderOf(other));
  }

  /**
   * Stores a message, or its new state. The file is never half written, however the process ends.
   * @throws LocalError
   */
  write(queue: string, message: QueueMessage): void {
    const folder = this.#folderOf(queue);
    if (folder === undefined) return;
    writeAtomically(join(folder, `${message.id}.json`), JSON.stringify(message));
  }

  remove(queue: string, id: string): void {
    const folder = this.#folderOf(queue);
    if (folder !== undefined) rmSync(join(folder, `${id}.json`), { force: true });
  }

  #folderOf(queue: string): string | undefined {
    return this.#folder === undefined ? undefined : join(this.#folder, queue);
  }
}
