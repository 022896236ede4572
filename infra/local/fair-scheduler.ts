import { availableParallelism } from 'node:os';

/** Milliseconds for which a caller still counts as active after its last response. */
const activeMilliseconds = 10_000;

/** Milliseconds for which an invocation counts as busy. A longer one waits for something, and uses no core. */
const maxBusy = 200;

/** All cores but one, which is for the gateway and the database. */
const sharedCores = Math.max(1, availableParallelism() - 1);

/** A caller with invocations that run or wait. */
interface Caller {
  name: string;
  running: number;
  waiting: ((end: () => void) => void)[];
  /** True if the caller still counts as active for a while after its last response. */
  lingers: boolean;
}

/**
 * Shares the few cores of this computer among callers. On AWS, each has as many Lambdas as it needs.
 *
 * - A caller that is alone runs everything at once.
 * - A caller that has nothing running begins at once, too.
 * - Any other invocation waits while `share` invocations run, of any caller. Waiting callers then take turns
 *   (round robin).
 *
 * So a burst waits behind itself, and hardly delays callers that send one request after the other. A caller
 * counts as active for ten seconds after its last response. The time per request does not grow with the number of
 * callers.
 */
export class FairScheduler {
  readonly #share: number;
  readonly #now: () => number;
  readonly #active = new Map<string, Caller>();
  /** Time at which each idle caller stops counting as active, in epoch milliseconds, the earliest first. */
  readonly #lingering = new Map<string, number>();
  /** Callers with waiting invocations. The first one is next. */
  readonly #circle = new Set<Caller>();
  /** Number of running invocations that count as busy. */
  #busy = 0;

  constructor(share = sharedCores, now: () => number = Date.now) {
    this.#share = share;
    this.#now = now;
  }

  /**
   * Runs a caller's work when its turn comes.
   * @param lingers true if the caller still counts as active for ten seconds after this work
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

  /** Begins an invocation. Returns the function that ends it. */
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
        if (caller.lingers) this.#lingering.set(caller.name, this.#now() + activeMilliseconds);
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

  /** Number of active callers. Drops idle callers whose time is over. */
  #countCallers(): number {
    const now = this.#now();
    for (const [name, until] of this.#lingering) {
      if (until > now) break;
      this.#lingering.delete(name);
    }
    return this.#active.size + this.#lingering.size;
  }
}
