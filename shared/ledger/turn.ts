import type { Head } from './head.ts';
import type { Outside } from './outside.ts';

/** How much the wait of one writer counts in `queue`, which is the mean of recent ones. */
const weight = 1 / 8;
/** The queue that a writer assumes at least when it waits first, and how much more each time it has to wait again. */
const leastQueue = 8;
const growth = 1.5;

/**
 * The turns of writers that want the same head at the same time. They share no memory, so they agree through the head:
 * its `queue` is how many versions recent writers let pass between their first try and their last, which is about how
 * many wait (a write of many events counts as many). A writer that loses a race lets almost as many pass, and then up to half as many more, drawn at random: so those
 * that began together spread out, those that came later wait behind, and at any time a few try. A write that lost no
 * race brings `queue` down, and where nobody loses one, nobody waits.
 */
export class Turn {
  readonly #outside: Outside;
  readonly #deadline: number;
  /** The version of the head that this writer saw when it first lost. */
  #since: number | undefined;
  #hasCollided = false;
  #mayRetry = false;
  #assumed = leastQueue;

  constructor(outside: Outside, deadline: number) {
    this.#outside = outside;
    this.#deadline = deadline;
  }

  /** Whether another writer was faster, or at it. */
  get hasLost(): boolean {
    return this.#hasCollided || this.#since !== undefined;
  }

  /** Takes note that another transaction had the head: who has it is not known, but what this writer saw is old. */
  collide(): void {
    this.#hasCollided = true;
  }

  /** A head as this writer passes it on: with the queue as it has met it. */
  passOn(head: Head): Head {
    const { queue = 0, ...rest } = head;
    const mean = queue + (this.#letPass(head) - queue) * weight;
    // Rounded down, so that it comes to an end: a head without it says that nobody waits.
    const rounded = Math.floor(mean * 4) / 4;
    return rounded < 1 ? rest : { ...rest, queue: rounded };
  }

  /**
   * Takes note that another writer was faster, whose head this is; the refused try took so many milliseconds, and one
   * write after the other takes about as long. Resolves when it is time to try again: at once, on that same head, where
   * this writer has waited before and it is the first loss since; or after a wait, by which the head is old.
   */
  async lose(winner: Head, milliseconds: number): Promise<'at once' | 'later'> {
    this.#since ??= winner.version;
    if (this.#mayRetry) {
      this.#mayRetry = false;
      return 'at once';
    }
    const { queue = 0 } = winner;
    const random = this.#outside.random();
    const inTurn = Math.max(0, Math.max(leastQueue, queue) - this.#letPass(winner)) * 0.9;
    const apart = Math.max(this.#assumed, queue) * 0.5 * random;
    this.#assumed *= growth;
    // Where that is longer than there is time, still at random: those that come back together would collide again.
    const timeLeft = Math.max(0, this.#deadline - this.#outside.now());
    await this.#outside.sleep(Math.min((inTurn + apart) * milliseconds, timeLeft * 0.75 * random));
    this.#mayRetry = true;
    return 'later';
  }

  #letPass({ version }: Head): number {
    return version - (this.#since ?? version);
  }
}
