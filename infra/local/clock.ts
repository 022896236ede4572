import type { System } from '../../shared/core/system.ts';

/** Longest delay of a Node.js timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Clock of the local machine: the computer's clock plus an offset. */
export class MachineClock implements Pick<System, 'now' | 'sleep'> {
  /**
   * Offset in milliseconds, in memory shared with the threads of functions, so that moving the clock also
   * moves the clock of a running function.
   */
  readonly shared = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  readonly #wakers = new Set<() => void>();

  /** Milliseconds that this clock is ahead of the computer's. */
  get ahead(): number {
    return this.shared[0] ?? 0;
  }

  now(): number {
    return Date.now() + this.ahead;
  }

  /**
   * Resolves after this many milliseconds, earlier if the clock is moved past them or `givenUp` aborts. Keeps
   * no process alive.
   */
  async sleep(milliseconds: number, givenUp?: AbortSignal): Promise<void> {
    const end = this.now() + milliseconds;
    for (let left = milliseconds; left > 0 && !givenUp?.aborted; left = end - this.now())
      await this.#nap(left, givenUp);
  }

  /** Advances the clock, and wakes the sleepers that are due. */
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
