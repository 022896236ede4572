/** Captured at load, because other code may replace the global timers by virtual ones. */
const realSetImmediate = setImmediate;

interface Event {
  time: number;
  sequence: number;
  /** Undefined once cancelled. The event stays in the heap until its time comes, which is cheap. */
  act: (() => void) | undefined;
  /** True if no promise waits for the event, so microtasks need not run after it. */
  quiet: boolean;
}

/** Number of cancelled events below which rebuilding the heap is not worth it. */
const tolerated = 1024;

const isBefore = (a: Event, b: Event) => a.time < b.time || (a.time === b.time && a.sequence < b.sequence);

/**
 * Virtual time. Time passes from event to event, ordered by time and then by insertion. After each event, the
 * code that awaited it runs as far as it can.
 *
 * The code must await nothing real: no I/O, no timer of the platform, no first `import()` of a module.
 */
export class VirtualTime {
  now = Date.UTC(2026, 0, 5, 9);
  eventCount = 0;
  #heap: Event[] = [];
  #sequence = 0;
  #cancelled = 0;
  #running = false;

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#add(milliseconds, resolve, false);
    });
  }

  /** Calls `act` after a delay. Returns a function that cancels the call. */
  at(delay: number, act: () => void): () => void {
    const event = this.#add(delay, act, false);
    return () => {
      if (event.act === undefined) return;
      event.act = undefined;
      this.#cancelled++;
      if (this.#cancelled > tolerated && this.#cancelled > this.#heap.length / 2) this.#dropCancelled();
    };
  }

  /**
   * Calls `act` after a delay. `act` must settle no promise, not even indirectly: the next event follows
   * without a pause.
   */
  atQuietly(delay: number, act: () => void): void {
    this.#add(delay, act, true);
  }

  /**
   * Lets time pass until a condition holds or a promise settles. A condition is checked after every event.
   * The value of a promise is returned. @throws Error if no event is left; whatever an event throws
   */
  run(until: () => boolean): Promise<void>;
  run<T>(until: Promise<T>): Promise<T>;
  async run(until: (() => boolean) | Promise<unknown>): Promise<unknown> {
    if (this.#running) throw new Error('Virtual time is already running');
    this.#running = true;
    try {
      if (typeof until === 'function') {
        await this.#pass(until);
        return undefined;
      }
      let settled = false;
      const note = () => {
        settled = true;
      };
      until.then(note, note);
      await this.#pass(() => settled);
      return await until;
    } finally {
      this.#running = false;
    }
  }

  async #pass(isReached: () => boolean): Promise<void> {
    await drained();
    while (!isReached()) {
      const event = this.#next();
      if (event?.act === undefined) {
        throw new Error('Virtual time stopped: no event is left, and the awaited condition never came true');
      }
      this.now = event.time;
      this.eventCount++;
      const { act } = event;
      // Makes a late cancel a no-op.
      event.act = undefined;
      act();
      if (!event.quiet) await drained();
    }
  }

  #add(delay: number, act: () => void, quiet: boolean): Event {
    if (!Number.isFinite(delay)) throw new Error(`A delay of ${delay} ms`);
    const event = { time: this.now + Math.max(0, delay), sequence: this.#sequence++, act, quiet };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return event;
  }

  /** Removes the first event that was not cancelled. */
  #next(): Event | undefined {
    const heap = this.#heap;
    for (;;) {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined) return undefined;
      if (heap.length > 0) {
        heap[0] = last;
        this.#sink(0);
      }
      if (first.act !== undefined) return first;
      this.#cancelled--;
    }
  }

  #dropCancelled(): void {
    this.#heap = this.#heap.filter(({ act }) => act !== undefined);
    this.#cancelled = 0;
    for (let at = (this.#heap.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    const event = heap[from]!;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above]!;
      if (!isBefore(event, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const event = heap[from]!;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      const child = heap[below]!;
      if (!isBefore(child, event)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = event;
  }
}

/** Resolves after all microtasks have run, also microtasks that microtasks add. */
const drained = () =>
  new Promise<void>((resolve) => {
    realSetImmediate(resolve);
  });
