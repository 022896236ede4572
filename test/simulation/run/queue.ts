import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';

/** Settings and faults of a queue. Times are in milliseconds. */
export interface QueueConditions {
  /** Maximum number of messages being processed at once. */
  maxConcurrency: number;
  /** Number of deliveries of a message before it becomes a dead letter. */
  maxReceives: number;
  /** Visibility timeout: a delivered message is hidden for this time. */
  visibility: number;
  /** Probability that a message is duplicated, or that its removal is lost. */
  troubles: number;
  /** Maximum delay of a message from the topic. */
  delay: number;
}

/** A message and its number of deliveries. */
interface Entry<T> {
  content: T;
  receives: number;
  isDone: boolean;
}

/**
 * A queue behind a topic. The queue delivers messages in any order and at least once. A message that is not
 * done within the visibility timeout is delivered again, and in the end becomes a dead letter.
 */
export class Queue<T> {
  /** Number of deliveries, of redeliveries among them, and of dead letters. */
  readonly stats = { given: 0, again: 0, dead: 0 };
  readonly #time: VirtualTime;
  readonly #draw: Draw;
  readonly #conditions: QueueConditions;
  readonly #work: (content: T) => Promise<boolean>;
  #visible: Entry<T>[] = [];
  #dead: Entry<T>[] = [];
  #running = 0;
  /** Number of messages that are not done. */
  #left = 0;

  /** `work` processes a message and returns true if it is done. */
  constructor(
    { time, draw, conditions }: { time: VirtualTime; draw: Draw; conditions: QueueConditions },
    work: (content: T) => Promise<boolean>,
  ) {
    this.#time = time;
    this.#draw = draw;
    this.#conditions = conditions;
    this.#work = work;
  }

  /** True if the queue holds no message, processes none, and has no dead letter. */
  get isEmpty(): boolean {
    return this.#running === 0 && this.#left === 0;
  }

  /** Accepts a message, which is processed at least once. */
  publish(content: T): void {
    const { troubles, delay } = this.#conditions;
    const copies = this.#draw.happens(troubles) ? 2 : 1;
    this.#left += copies;
    for (let copy = 0; copy < copies; copy++) {
      const late = this.#draw.happens(0.2) ? delay : Math.min(delay, 30);
      this.#showLater({ content, receives: 0, isDone: false }, this.#draw.between(0, late));
    }
  }

  /** Puts all dead letters back, as an operator does. */
  redrive(): void {
    for (const entry of this.#dead.splice(0)) {
      entry.receives = 0;
      this.#showLater(entry, 1);
    }
  }

  #showLater(entry: Entry<T>, delay: number): void {
    this.#time.at(delay, () => {
      if (!entry.isDone) this.#show(entry);
    });
  }

  #show(entry: Entry<T>): void {
    if (entry.receives < this.#conditions.maxReceives) {
      this.#visible.push(entry);
      this.#giveOut();
    } else {
      this.stats.dead++;
      this.#dead.push(entry);
    }
  }

  #giveOut(): void {
    while (this.#visible.length > 0 && this.#running < this.#conditions.maxConcurrency) {
      const [entry] = this.#visible.splice(this.#draw.whole(0, this.#visible.length - 1), 1);
      if (entry && !entry.isDone) void this.#give(entry);
    }
  }

  async #give(entry: Entry<T>): Promise<void> {
    this.#running++;
    this.stats.given++;
    if (entry.receives++ > 0) this.stats.again++;
    this.#showLater(entry, this.#conditions.visibility);
    const isDone = await this.#work(entry.content);
    if (isDone && !entry.isDone && !this.#draw.happens(this.#conditions.troubles)) {
      entry.isDone = true;
      this.#left--;
    }
    this.#running--;
    this.#giveOut();
  }
}
