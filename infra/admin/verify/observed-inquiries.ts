import { arrivalOf, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { countNames, countsOf, type LeadTally } from './inquiry-tally.ts';
import { SparseNumbers } from './sparse-numbers.ts';

/** Three counts share a number: the exact difference of each, up to 65,535. */
const countsPerBalance = 3;
const base = 2 ** 17;
const balances = Math.ceil(countNames.length / countsPerBalance);

/** Where each count is: in which balance, and what one is worth there. */
const listPositionIn = new Map<string, { at: number; worth: number }>(
  countNames.map((name, at) => [
    name,
    { at: Math.floor(at / countsPerBalance), worth: base ** (at % countsPerBalance) },
  ]),
);

/**
 * What was seen of inquiries and leads: some numbers for each, since there can be a million. The inquiries of a lead are a
 * chain from the one of which something came last, each of which knows another one.
 */
export class ObservedInquiries {
  /** What the inquiries of a lead count, less what it says. */
  readonly #balances = Array.from({ length: balances }, () => new SparseNumbers());
  /** Of each lead, its last inquiry and when something of that came last, then what it says of them. */
  readonly #last = new SparseNumbers();
  readonly #lastAt = new SparseNumbers();
  readonly #statedLast = new SparseNumbers();
  readonly #statedAt = new SparseNumbers();
  /** Of each inquiry, another one of its lead. */
  readonly #before = new SparseNumbers();
  /** The leads that contradict themselves. */
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

  /** `last` is the number of the inquiry that it names as its last one. */
  addLead(lead: number, stated: LeadTally, last: number): void {
    for (const name of countNames) this.#add(lead, name, -(stated.counts[name] ?? 0));
    this.#statedLast.set(lead, last);
    this.#statedAt.set(lead, stated.lastInquiryDate === null ? 0 : Date.parse(stated.lastInquiryDate));
    const isContradicting =
      stated.hasFlaggedInquiry !== (stated.counts['flaggedInquiries'] ?? 0) > 0 ||
      (stated.lastInquiryId !== null && last === 0);
    if (isContradicting) this.#contradicting.add(lead);
  }

  /** The inquiries of a lead that were seen. */
  *of(lead: number): Generator<number> {
    for (let number = this.#last.get(lead); number > 0; number = this.#before.get(number)) yield number;
  }

  /** The leads of which something may be wrong. */
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
    const { at, worth } = listPositionIn.get(name) ?? { at: 0, worth: 0 };
    const balance = this.#balances[at];
    if (count !== 0) balance?.set(lead, balance.get(lead) + count * worth);
  }
}
