import { refuseAny, type FieldProblem } from '../../core/failure.ts';

/** Checks prices against the way of pricing that they belong to, and collects every problem. */
export class PriceCheck {
  readonly #way: string;
  readonly #applying: readonly string[];
  readonly #prefix: string;
  readonly #problems: FieldProblem[] = [];

  /**
   * `way`: as in `pricingType FIXED`; `applying`: the names of the prices that go with it; `prefix`: what stands before a
   * name in the request.
   */
  constructor(way: string, applying: readonly string[], prefix = '') {
    this.#way = way;
    this.#applying = applying;
    this.#prefix = prefix;
  }

  /** What a price will be: as given, else as it was where it applied before. One that does not apply is 0. */
  price(field: string, given: number | undefined, before?: number): number {
    if (!this.#applying.includes(field)) {
      // A client that sends back what it read sends a 0.
      if (given) this.#refuse(field, `does not go with ${this.#way}`);
      return 0;
    }
    const price = given ?? before;
    if (price === undefined) this.#refuse(field, `is required with ${this.#way}`);
    // JSON has a -0, which DynamoDB has not.
    return (price ?? 0) + 0;
  }

  /** Checks a range, once both its ends are known. @throws Failure `invalid` with all problems found. */
  finish(least: { field: string; price: number }, most: { field: string; price: number }): void {
    const isRange = this.#applying.includes(most.field);
    if (this.#problems.length === 0 && isRange && least.price > most.price) {
      this.#refuse(most.field, `must be at least ${this.#prefix}${least.field}`);
    }
    refuseAny(this.#problems);
  }

  #refuse(field: string, message: string): void {
    this.#problems.push({ field: `${this.#prefix}${field}`, message });
  }
}
