/** How many numbers share an array. */
const size = 4096;

/** A number for each record's number, 0 where there is none: one array for each range that has any, whatever the range. */
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

  /** Every number that has one, and it; by range in the order in which the ranges were begun. */
  *[Symbol.iterator](): Generator<[number: number, value: number]> {
    for (const [at, range] of this.#ranges) {
      for (const [offset, value] of range.entries()) if (value !== 0) yield [at * size + offset, value];
    }
  }
}
