import { createHash, randomUUID } from 'node:crypto';
import { arnOf, pseudo, region } from '../intrinsics.ts';
import type { QueueMessage } from '../queue-message.ts';
import { tryOrReport } from '../say.ts';
import { failureOf, logOf, type WorkerRun, type WorkerDependencies } from '../worker-run.ts';
import { MessageFiles } from './message-files.ts';
import type { WorkQueue } from './messaging.ts';

/** A message that is not done. */
interface Waiting extends QueueMessage {
  /** From when on a function may be called with it, in epoch milliseconds. */
  visibleAt: number;
  isUnderWay: boolean;
}

export interface QueueDependencies extends WorkerDependencies {
  /** Where messages are kept until they are done; nowhere when not given. */
  folder: string | undefined;
}

/**
 * A message that was received so often is not onRun as the oldest one any more.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
const receivesLeftOut = 3;

/**
 * SQS's queues that call a function, with Lambda's event source mappings: each message at least once, in no order that is
 * promised. One that fails is tried again after the visibility timeout, and is a dead letter after so many tries.
 */
export class Queues {
  readonly #dependencies: QueueDependencies;
  readonly #files: MessageFiles;
  /** What is not done, by queue and id. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  #queues: ReadonlyMap<string, WorkQueue> = new Map();
  #isOpen = false;

  constructor(dependencies: QueueDependencies) {
    this.#dependencies = dependencies;
    this.#files = new MessageFiles(dependencies.folder);
  }

  /** Replaces the queues. What is in one that stays is not lost. */
  keep(queues: readonly WorkQueue[]): void {
    this.#queues = new Map(queues.map((queue) => [queue.id, queue]));
    for (const { id } of queues) {
      if (this.#waiting.has(id)) continue;
      // What an earlier start left is visible at once: what was under way ended with that start.
      const left = this.#files.read(id).map((message) => ({ ...message, visibleAt: 0, isUnderWay: false }));
      this.#waiting.set(id, new Map(left.map((message) => [message.id, message])));
    }
    this.#receiveAll();
  }

  /** Begins to call functions. */
  open(): void {
    this.#isOpen = true;
    this.#receiveAll();
  }

  /** Calls no more functions, and reports no more of the calls under way. What they did is done again at the next start. */
  stop(): void {
    this.#isOpen = false;
  }

  /** Puts a message into a queue. Once this returns, the next start has it, however this one ends. @throws LocalError if it cannot */
  send(queue: string, body: string): void {
    const id = randomUUID();
    const now = this.#dependencies.clock.now();
    const message = { id, body, sentAt: now, receives: 0 };
    this.#files.write(queue, message);
    this.#waiting.get(queue)?.set(id, { ...message, visibleAt: now, isUnderWay: false });
    this.#receive(queue);
  }

  /** What is not done, as it was sent. */
  get bodies(): string[] {
    return [...this.#waiting.values()].flatMap((messages) => [...messages.values()].map(({ body }) => body));
  }

  /** Takes messages out, also those that a function has just been called with. */
  remove(bodies: ReadonlySet<string>): void {
    for (const [queue, messages] of this.#waiting)
      for (const { id, body } of messages.values()) if (bodies.has(body)) this.#remove(queue, id);
  }

  /** How many messages could be received now. */
  countOf(queue: string): number {
    const now = this.#dependencies.clock.now();
    return [...(this.#waiting.get(queue)?.values() ?? [])].filter((message) => isVisible(message, now))
      .length;
  }

  /** For how many seconds the oldest message has been in a queue, without those that SQS leaves out. */
  ageIn(queue: string): number {
    const sent = [...(this.#waiting.get(queue)?.values() ?? [])]
      .filter(({ receives }) => receives < receivesLeftOut)
      .map(({ sentAt }) => sentAt);
    return sent.length === 0 ? 0 : (this.#dependencies.clock.now() - Math.min(...sent)) / 1000;
  }

  #receiveAll(): void {
    for (const id of this.#queues.keys()) this.#receive(id);
  }

  /** Calls the queue's function with messages that are visible, as many at once as it may. */
  #receive(id: string): void {
    const queue = this.#queues.get(id);
    if (!queue || !this.#isOpen) return;
    const messages = [...(this.#waiting.get(id)?.values() ?? [])];
    const now = this.#dependencies.clock.now();
    const free = queue.maxConcurrency - messages.filter(({ isUnderWay }) => isUnderWay).length;
    const next = messages.filter((message) => isVisible(message, now)).slice(0, Math.max(0, free));
    for (const message of next) void this.#run(queue, message);
  }

  async #run(queue: WorkQueue, message: Waiting): Promise<void> {
    const { clock, invoke, onRun } = this.#dependencies;
    message.isUnderWay = true;
    message.receives++;
    // The file is there already: without this, the next start counts less tries.
    tryOrReport(() => {
      this.#files.write(queue.id, withoutState(message));
    });
    const startedAt = performance.now();
    const outcome = await invoke(queue.functionName, eventOf(queue, message, clock.now())).catch(failureOf);
    if (!this.#isOpen) return;
    message.isUnderWay = false;
    // Where there is no function of that name any more, as where it failed.
    const hasFailed = outcome === undefined || outcome.error !== undefined;
    const failed = hasFailed ? this.#fail(queue, message) : undefined;
    if (!hasFailed) this.#end(queue.id, message.id);
    if (outcome)
      onRun({
        ...logOf(outcome, queue.functionName),
        failed,
        milliseconds: performance.now() - startedAt,
      });
    this.#receive(queue.id);
  }

  /** What becomes of a message that failed. */
  #fail(queue: WorkQueue, message: Waiting): WorkerRun['failed'] {
    const { clock, keepDeadLetter } = this.#dependencies;
    // It was taken out meanwhile.
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
    message.visibleAt = clock.now() + queue.visibilityTimeout;
    void clock.sleep(queue.visibilityTimeout).then(() => {
      this.#receive(queue.id);
    });
    return 'is tried again';
  }

  /** Where the file cannot be removed, the next start calls the function again: at least once is what is promised. */
  #end(queue: string, id: string): void {
    tryOrReport(() => {
      this.#remove(queue, id);
    });
  }

  #remove(queue: string, id: string): void {
    this.#waiting.get(queue)?.delete(id);
    this.#files.remove(queue, id);
  }
}

const isVisible = ({ isUnderWay, visibleAt }: Waiting, now: number) => !isUnderWay && visibleAt <= now;

const withoutState = ({ id, body, sentAt, receives }: Waiting): QueueMessage => ({
  id,
  body,
  sentAt,
  receives,
});

/** What Lambda calls a function with. https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
function eventOf({ id: queue }: WorkQueue, { id, body, sentAt, receives }: Waiting, now: number): object {
  const record = {
    messageId: id,
    receiptHandle: randomUUID(),
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: pseudo['AWS::AccountId'],
      ApproximateFirstReceiveTimestamp: String(now),
    },
    messageAttributes: {},
    md5OfBody: createHash('md5').update(body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: arnOf(queue),
    awsRegion: region,
  };
  return { Records: [record] };
}
