import { availableParallelism } from 'node:os';

/** For how long a caller counts after its last request, in milliseconds. */
const presence = 10_000;

/** For how long an invocation counts, in milliseconds: what takes longer waits for something, and takes no core. */
const maxBusy = 200;

/** All cores but one, which is for the gateway and the database. */
const sharedCores = Math.max(1, availableParallelism() - 1);

/** A caller that asked of late. */
interface Caller {
  running: number;
  waiting: ((end: () => void) => void)[];
  /** When it last asked, or was answered. */
  at: number;
}

/**
 * Shares this computer among callers, who have as many Lambdas as they like on AWS, and only a few cores together here:
 *
 * - Who asks while nobody else does runs everything at once.
 * - Who has nothing running begins at once, too.
 * - All else waits while `share` invocations run, of whomever. Then that caller has its turn whose last was longest ago.
 *
 * So a burst waits behind itself, and hardly delays those who send one request after the other. A caller counts for ten
 * seconds after its last request.
 */
export class CallerTurns {
  readonly #share: number;
  readonly #now: () => number;
  /** The one that began something last at the end. */
  readonly #callers = new Map<string, Caller>();
  /** How many invocations run that count. */
  #busy = 0;

  constructor(share = sharedCores, now: () => number = Date.now) {
    this.#share = share;
    this.#now = now;
  }

  /** Does what a caller asks, once it is its turn. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const caller = this.#note(name);
    const isIdle = caller.running === 0 && caller.waiting.length === 0;
    const turn = isIdle
      ? this.#begin(name, caller)
      : new Promise<() => void>((resolve) => caller.waiting.push(resolve));
    this.#beginWaiting();
    const end = await turn;
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Begins an invocation. Returns what ends it. */
  #begin(name: string, caller: Caller): () => void {
    this.#callers.delete(name);
    this.#callers.set(name, caller);
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
      this.#note(name);
      rest();
    };
  }

  #beginWaiting(): void {
    for (;;) {
      if (this.#callers.size > 1 && this.#busy >= this.#share) return;
      const [name, caller] = [...this.#callers].find(([, { waiting }]) => waiting.length > 0) ?? [];
      if (name === undefined || !caller) return;
      caller.waiting.shift()?.(this.#begin(name, caller));
    }
  }

  /** Notes that a caller is here, and forgets those that have gone. */
  #note(name: string): Caller {
    const now = this.#now();
    const caller = this.#callers.get(name) ?? { running: 0, waiting: [], at: now };
    caller.at = now;
    this.#callers.set(name, caller);
    for (const [other, { running, waiting, at }] of this.#callers)
      if (running === 0 && waiting.length === 0 && at <= now - presence) this.#callers.delete(other);
    return caller;
  }
}
