import { refuseAny, type FieldProblem } from '../../core/failure.ts';
import { decimalsOf } from './currency.ts';

/** Checks prices against a pricing type or mode and a currency, and collects every problem. */
export class PriceCheck {
  readonly #way: string;
  readonly #applying: readonly string[];
  readonly #prefix: string;
  readonly #currency: string | undefined;
  readonly #problems: FieldProblem[] = [];

  /**
   * @param way the pricing type or mode for messages, such as `pricingType FIXED`
   * @param applying names of the prices that go with it
   * @param prefix of names in the request
   * @param currency of new prices, as `currencyFor` returns it
   */
  constructor(
    way: string,
    applying: readonly string[],
    { prefix = '', currency }: { prefix?: string | undefined; currency?: string | undefined } = {},
  ) {
    this.#way = way;
    this.#applying = applying;
    this.#prefix = prefix;
    this.#currency = currency;
  }

  /** The price to store: `given`, otherwise `before`; 0 if it does not apply. */
  price(field: string, given: number | undefined, before?: number): number {
    if (!this.#applying.includes(field)) {
      // 0 is accepted: a client may send back the price that it read.
      if (given) this.#refuse(field, `does not go with ${this.#way}`);
      return 0;
    }
    const price = this.amount(field, given, before);
    if (price === undefined) this.#refuse(field, `is required with ${this.#way}`);
    // Turns JSON's -0, which DynamoDB does not have, into 0.
    return (price ?? 0) + 0;
  }

  /** `given`, if the currency has its decimals, otherwise `before`. An amount that stays may have any decimals. */
  amount(field: string, given: number | undefined, before?: number): number | undefined {
    if (given === undefined || given === before || this.#currency === undefined) return given ?? before;
    const decimals = decimalsOf(this.#currency);
    if (Number(given.toFixed(decimals)) !== given)
      this.#refuse(
        field,
        decimals === 0
          ? `must be a whole number: ${this.#currency} has no decimals`
          : `must have at most ${decimals} decimals`,
      );
    return given;
  }

  /** Checks the range, if the type or mode has one. @throws Failure `invalid` with all problems found */
  finish(min: { field: string; price: number }, max: { field: string; price: number }): void {
    const isRange = this.#applying.includes(max.field);
    if (this.#problems.length === 0 && isRange && min.price > max.price) {
      this.#refuse(max.field, `must be at least ${this.#prefix}${min.field}`);
    }
    refuseAny(this.#problems);
  }

  #refuse(field: string, message: string): void {
    this.#problems.push({ field: `${this.#prefix}${field}`, message });
  }
}
