import { availableParallelism } from 'node:os';

/** For how long a caller counts after its last answer, in milliseconds. */
const presence = 10_000;

/** For how long an invocation counts, in milliseconds: what takes longer waits for something, and takes no core. */
const maxBusy = 200;

/** All cores but one, which is for the gateway and the database. */
const sharedCores = Math.max(1, availableParallelism() - 1);

/** A caller that has something running or waiting. */
interface Caller {
  name: string;
  running: number;
  waiting: ((end: () => void) => void)[];
  /** Whether it counts for a while after its last answer. */
  lingers: boolean;
}

/**
 * Shares this computer among callers, who have as many Lambdas as they like on AWS, and only a few cores together here:
 *
 * - Who asks while nobody else does runs everything at once.
 * - Who has nothing running begins at once, too.
 * - All else waits while `share` invocations run, of whomever. Then those who wait have their turns in a circle.
 *
 * So a burst waits behind itself, and hardly delays those who send one request after the other. A caller counts for ten
 * seconds after its last answer. What a request costs here does not grow with the number of callers.
 */
export class FairScheduler {
  readonly #share: number;
  readonly #now: () => number;
  readonly #active = new Map<string, Caller>();
  /** Until when those count who have nothing running or waiting any more, the earliest first. */
  readonly #lingering = new Map<string, number>();
  /** Those who have something waiting: the one whose turn is next first. */
  readonly #circle = new Set<Caller>();
  /** How many invocations run that count. */
  #busy = 0;

  constructor(share = sharedCores, now: () => number = Date.now) {
    this.#share = share;
    this.#now = now;
  }

  /**
   * Does what a caller asks, once it is its turn.
   * @param lingers whether the caller counts for ten seconds after this
   */
  async run<T>(name: string, work: () => Promise<T>, { lingers = true } = {}): Promise<T> {
    const caller = this.#activate(name);
    caller.lingers ||= lingers;
    const turn =
      caller.running === 0 && caller.waiting.length === 0 ? this.#begin(caller) : this.#wait(caller);
    this.#beginWaiting();
    const end = await turn;
    try {
      return await work();
    } finally {
      end();
    }
  }

  #activate(name: string): Caller {
    const known = this.#active.get(name);
    if (known) return known;
    const caller = { name, running: 0, waiting: [], lingers: this.#lingering.delete(name) };
    this.#active.set(name, caller);
    return caller;
  }

  #wait(caller: Caller): Promise<() => void> {
    this.#circle.add(caller);
    return new Promise((resolve) => caller.waiting.push(resolve));
  }

  /** Begins an invocation. Returns what ends it. */
  #begin(caller: Caller): () => void {
    caller.running++;
    this.#busy++;
    let isBusy = true;
    const rest = () => {
      if (isBusy) this.#busy--;
      isBusy = false;
      this.#beginWaiting();
    };
    const timer = setTimeout(rest, maxBusy).unref();
    return () => {
      clearTimeout(timer);
      caller.running--;
      if (caller.running === 0 && caller.waiting.length === 0) {
        this.#active.delete(caller.name);
        if (caller.lingers) this.#lingering.set(caller.name, this.#now() + presence);
      }
      rest();
    };
  }

  #beginWaiting(): void {
    for (;;) {
      const [caller] = this.#circle;
      if (!caller || (this.#busy >= this.#share && this.#countCallers() > 1)) return;
      this.#circle.delete(caller);
      const next = caller.waiting.shift();
      if (caller.waiting.length > 0) this.#circle.add(caller);
      next?.(this.#begin(caller));
    }
  }

  /** How many callers there are, once those are forgotten that have gone. */
  #countCallers(): number {
    const now = this.#now();
    for (const [name, until] of this.#lingering) {
      if (until > now) break;
      this.#lingering.delete(name);
    }
    return this.#active.size + this.#lingering.size;
  }
}
