/** Length of each array. */
const size = 128;

/**
 * Map from record numbers to numbers, in arrays of 1 kB that are made when they are needed. A missing entry
 * is 0.
 */
export class SparseNumbers {
  readonly #ranges = new Map<number, Float64Array>();

  get(number: number): number {
    return this.#ranges.get(Math.floor(number / size))?.[number % size] ?? 0;
  }

  set(number: number, value: number): void {
    const at = Math.floor(number / size);
    let range = this.#ranges.get(at);
    if (range === undefined) this.#ranges.set(at, (range = new Float64Array(size)));
    range[number % size] = value;
  }

  /** Entries that are not 0, in the order of the arrays' creation. */
  *[Symbol.iterator](): Generator<[number: number, value: number]> {
    for (const [at, range] of this.#ranges) {
      // A plain loop, for speed: most arrays of a small organization are almost empty.
      for (let offset = 0; offset < size; offset++) {
        const value = range[offset];
        if (value !== undefined && value !== 0) yield [at * size + offset, value];
      }
    }
  }
}
