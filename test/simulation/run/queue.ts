import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';

/** How a queue is set up, and what goes wrong with it. Times are in milliseconds. */
export interface QueueConditions {
  /** How many messages are under way at once. */
  maxConcurrency: number;
  /** How often a message is given out before it becomes a dead letter. */
  maxReceives: number;
  /** For how long nobody else gets a message that was given out. */
  visibility: number;
  /** How likely a message is there twice, or its removal gets lost. */
  troubles: number;
  /** How late a message comes from the topic at most. */
  delay: number;
}

/** One message, as often as it was given out by now. */
interface Entry<T> {
  content: T;
  receives: number;
  isDone: boolean;
}

/**
 * A queue behind a topic: what is published is given out in any order, at least once, and again where whoever took it did not
 * say in time that it is done; too often, and it becomes a dead letter.
 */
export class Queue<T> {
  /** How many messages were given out, how many of those not for the first time, and how many became dead letters. */
  readonly stats = { given: 0, again: 0, dead: 0 };
  readonly #time: VirtualTime;
  readonly #draw: Draw;
  readonly #conditions: QueueConditions;
  readonly #work: (content: T) => Promise<boolean>;
  #visible: Entry<T>[] = [];
  #dead: Entry<T>[] = [];
  #running = 0;
  /** How many are not done. */
  #left = 0;

  /** `work` carries out what it is given, and tells whether it is done. */
  constructor(
    { time, draw, conditions }: { time: VirtualTime; draw: Draw; conditions: QueueConditions },
    work: (content: T) => Promise<boolean>,
  ) {
    this.#time = time;
    this.#draw = draw;
    this.#conditions = conditions;
    this.#work = work;
  }

  /** Whether nothing is in it any more, nor under way, nor dead. */
  get isEmpty(): boolean {
    return this.#running === 0 && this.#left === 0;
  }

  /** Accepts what is published: from now on it is carried out at least once. */
  publish(content: T): void {
    const { troubles, delay } = this.#conditions;
    const copies = this.#draw.happens(troubles) ? 2 : 1;
    this.#left += copies;
    for (let copy = 0; copy < copies; copy++) {
      const late = this.#draw.happens(0.2) ? delay : Math.min(delay, 30);
      this.#showLater({ content, receives: 0, isDone: false }, this.#draw.between(0, late));
    }
  }

  /** An operator puts all dead letters back. */
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
