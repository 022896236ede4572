import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';

/** Settings and faults of a FIFO queue. Times are in milliseconds. */
export interface FifoConditions {
  /** Number of deliveries of a message before it is given up. */
  maxReceives: number;
  /** A delivered message is hidden for this time, and its group with it. */
  visibility: number;
  /** A message with the same deduplication id is dropped during this time. */
  deduplication: number;
  /** Probability that the removal of a processed message is lost. */
  troubles: number;
}

interface Entry<T> {
  content: T;
  receives: number;
}

/** End of one delivery: done, or to be delivered again after some seconds. */
export type FifoOutcome = 'done' | 'failed' | { retryIn: number };

/**
 * A FIFO queue. The messages of a group are delivered one by one, in order. A message that is not done holds its group
 * until it is visible again, and is given up after too many deliveries.
 */
export class FifoQueue<T> {
  /** Number of messages that were given up. */
  givenUp = 0;
  readonly #time: VirtualTime;
  readonly #draw: Draw;
  readonly #conditions: FifoConditions;
  readonly #work: (content: T) => Promise<FifoOutcome>;
  readonly #groups = new Map<string, Entry<T>[]>();
  readonly #busy = new Set<string>();
  readonly #sent = new Map<string, number>();

  constructor(
    { time, draw, conditions }: { time: VirtualTime; draw: Draw; conditions: FifoConditions },
    work: (content: T) => Promise<FifoOutcome>,
  ) {
    this.#time = time;
    this.#draw = draw;
    this.#conditions = conditions;
    this.#work = work;
  }

  send(content: T, { group, deduplication }: { group: string; deduplication: string }): void {
    const sentAt = this.#sent.get(deduplication);
    if (sentAt !== undefined && this.#time.now < sentAt + this.#conditions.deduplication) return;
    this.#sent.set(deduplication, this.#time.now);
    const messages = this.#groups.get(group) ?? [];
    messages.push({ content, receives: 0 });
    this.#groups.set(group, messages);
    this.#next(group);
  }

  #next(group: string): void {
    const [entry] = this.#groups.get(group) ?? [];
    if (!entry || this.#busy.has(group)) return;
    this.#busy.add(group);
    void this.#deliver(group, entry);
  }

  async #deliver(group: string, entry: Entry<T>): Promise<void> {
    const { maxReceives, visibility, troubles } = this.#conditions;
    const hiddenUntil = this.#time.now + visibility;
    entry.receives++;
    const outcome = await this.#work(entry.content);
    const isDone = outcome === 'done' && !this.#draw.happens(troubles);
    const left = Math.max(0, hiddenUntil - this.#time.now);
    const wait = isDone ? 0 : typeof outcome === 'object' ? outcome.retryIn * 1000 : left;
    this.#time.at(wait, () => {
      const isOver = entry.receives >= maxReceives;
      if (isDone || isOver) this.#groups.get(group)?.shift();
      if (!isDone && isOver) this.givenUp++;
      this.#busy.delete(group);
      this.#next(group);
    });
  }
}
