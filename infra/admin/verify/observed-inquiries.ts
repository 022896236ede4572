import { arrivalOf, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { countNames, countsOf, type LeadTally } from './inquiry-tally.ts';
import { SparseNumbers } from './sparse-numbers.ts';

/** Three counts share one number, which keeps the exact difference of each, up to 65,535. */
const countsPerBalance = 3;
const base = 2 ** 17;
const balances = Math.ceil(countNames.length / countsPerBalance);

/** Index of the balance that holds each count, and the amount that stands for 1 of the count there. */
const slotOf = new Map<string, { at: number; worth: number }>(
  countNames.map((name, at) => [
    name,
    { at: Math.floor(at / countsPerBalance), worth: base ** (at % countsPerBalance) },
  ]),
);

/**
 * Observations of inquiries and leads. Kept as a few numbers each, since there can be a million. The
 * inquiries of a lead are a chain, which begins with the last one.
 */
export class ObservedInquiries {
  /** Sum of the inquiries of each lead, less the counts that the lead states. */
  readonly #balances = Array.from({ length: balances }, () => new SparseNumbers());
  /**
   * Last inquiry of each lead and its time in milliseconds, as the inquiries show them; then as the lead
   * states them.
   */
  readonly #last = new SparseNumbers();
  readonly #lastAt = new SparseNumbers();
  readonly #statedLast = new SparseNumbers();
  readonly #statedAt = new SparseNumbers();
  /** Next inquiry in the chain, by inquiry number. */
  readonly #before = new SparseNumbers();
  /** Leads whose own fields contradict each other. */
  readonly #contradicting = new Set<number>();

  addInquiry(lead: number, number: number, inquiry: InquiryRecord): void {
    for (const name of countsOf(inquiry)) this.#add(lead, name, 1);
    const last = this.#last.get(lead);
    const [at, lastAt] = [Date.parse(arrivalOf(inquiry).at), this.#lastAt.get(lead)];
    if (at > lastAt || (at === lastAt && number > last)) {
      this.#before.set(number, last);
      this.#last.set(lead, number);
      this.#lastAt.set(lead, at);
    } else {
      this.#before.set(number, this.#before.get(last));
      this.#before.set(last, number);
    }
  }

  /** `last` is the number of the inquiry that the lead names as its last one. */
  addLead(lead: number, stated: LeadTally, last: number): void {
    for (const name of countNames) this.#add(lead, name, -(stated.counts[name] ?? 0));
    this.#statedLast.set(lead, last);
    this.#statedAt.set(lead, stated.lastInquiryDate === null ? 0 : Date.parse(stated.lastInquiryDate));
    const isContradicting =
      stated.hasFlaggedInquiry !== (stated.counts['flaggedInquiries'] ?? 0) > 0 ||
      (stated.lastInquiryId !== null && last === 0);
    if (isContradicting) this.#contradicting.add(lead);
  }

  /** Observed inquiries of a lead. */
  *of(lead: number): Generator<number> {
    for (let number = this.#last.get(lead); number > 0; number = this.#before.get(number)) yield number;
  }

  /** Leads that seem wrong. */
  suspects(): number[] {
    const suspects = new Set(this.#contradicting);
    const none = new SparseNumbers();
    const pairs = [
      ...this.#balances.map((balance) => [balance, none] as const),
      [this.#last, this.#statedLast] as const,
      [this.#statedLast, this.#last] as const,
      [this.#lastAt, this.#statedAt] as const,
      [this.#statedAt, this.#lastAt] as const,
    ];
    for (const [one, other] of pairs)
      for (const [lead, value] of one) if (other.get(lead) !== value) suspects.add(lead);
    return [...suspects];
  }

  #add(lead: number, name: string, count: number): void {
    const { at, worth } = slotOf.get(name) ?? { at: 0, worth: 0 };
    const balance = this.#balances[at];
    if (count !== 0) balance?.set(lead, balance.get(lead) + count * worth);
  }
}
