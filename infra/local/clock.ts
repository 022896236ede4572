import type { System } from '../../shared/core/system.ts';

/** The longest that a timer of Node.js can take, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** The local machine's clock: the computer's, plus an offset. */
export class MachineClock implements Pick<System, 'now' | 'sleep'> {
  /** The offset, in memory that the threads of functions share: their time passes too, also while they run. */
  readonly shared = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  readonly #wakers = new Set<() => void>();

  /** How far it is ahead of the computer's, in milliseconds. */
  get ahead(): number {
    return this.shared[0] ?? 0;
  }

  now(): number {
    return Date.now() + this.ahead;
  }

  /** Resolves after this many milliseconds, when the clock is moved past them, or given up. Keeps no process alive. */
  async sleep(milliseconds: number, givenUp?: AbortSignal): Promise<void> {
    const end = this.now() + milliseconds;
    for (let left = milliseconds; left > 0 && !givenUp?.aborted; left = end - this.now())
      await this.#nap(left, givenUp);
  }

  /** Advances the clock, and wakes sleepers whose time has come. */
  moveBy(milliseconds: number): void {
    this.shared[0] = this.ahead + milliseconds;
    for (const wake of this.#wakers) wake();
  }

  /** Resolves after at most this many milliseconds. */
  #nap(milliseconds: number, givenUp?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        givenUp?.removeEventListener('abort', wake);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(milliseconds, longestTimer)).unref();
      this.#wakers.add(wake);
      givenUp?.addEventListener('abort', wake);
    });
  }
}
