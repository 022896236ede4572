import { arrivalOf, inquiries, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { unreadCounts } from '../../../shared/domain/leads/lead-change.ts';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import { idOf, numberOfId } from '../../../shared/ledger/internal/stored-record.ts';
import { isOf, type Judgement, type ReadRecord, type Rule } from './judgement.ts';
import type { RepairPlan } from './organization-items.ts';
import { SparseNumbers } from './sparse-numbers.ts';

const countNames = [...Object.values(unreadCounts), 'flaggedInquiries'] as const;
const otherNames = ['hasFlaggedInquiry', 'lastInquiryId', 'lastInquiryDate'] as const;

/**
 * Judges what a lead says of its inquiries: the number of unread ones by source, the number of flagged ones, and the last
 * inquiry.
 */
export class LeadCounts implements Rule {
  readonly #judgement: Judgement;
  /** Counts of the inquiries of each lead, less those that the lead states, by name and lead number. */
  readonly #balances = new Map(countNames.map((name) => [name, new SparseNumbers()]));
  /** Number of the last inquiry of each lead, and its arrival in milliseconds; then as the lead states them. */
  readonly #last = new SparseNumbers();
  readonly #lastAt = new SparseNumbers();
  readonly #statedLast = new SparseNumbers();
  readonly #statedAt = new SparseNumbers();
  /** Leads whose own fields contradict each other. */
  readonly #contradicting = new Set<number>();

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
  }

  observe(read: ReadRecord): void {
    if (isOf(read, inquiries)) this.#addInquiry(read.record, read.number);
    if (isOf(read, leads)) this.#addLead(read.record, read.number);
  }

  finish(): void {
    const suspects = new Set(this.#contradicting);
    const none = new SparseNumbers();
    const pairs = [
      ...[...this.#balances.values()].map((balance) => [balance, none] as const),
      [this.#last, this.#statedLast] as const,
      [this.#statedLast, this.#last] as const,
      [this.#lastAt, this.#statedAt] as const,
      [this.#statedAt, this.#lastAt] as const,
    ];
    for (const [one, other] of pairs)
      for (const [lead, value] of one) if (other.get(lead) !== value) suspects.add(lead);
    for (const lead of suspects) this.#compare(lead);
  }

  #addInquiry(inquiry: InquiryRecord, number: number): void {
    const lead = numberOfId(leads, this.#judgement.organization, inquiry.leadId) ?? 0;
    if (!inquiry.isRead) this.#balance(unreadCounts[inquiry.source], lead, 1);
    if (inquiry.isFlagged) this.#balance('flaggedInquiries', lead, 1);
    const [at, lastAt] = [Date.parse(arrivalOf(inquiry).at), this.#lastAt.get(lead)];
    if (at < lastAt || (at === lastAt && number < this.#last.get(lead))) return;
    this.#last.set(lead, number);
    this.#lastAt.set(lead, at);
  }

  #addLead(lead: LeadRecord, number: number): void {
    for (const name of countNames) this.#balance(name, number, -lead[name]);
    const { lastInquiryId: id, lastInquiryDate: date } = lead;
    const last = id === null ? 0 : (numberOfId(inquiries, this.#judgement.organization, id) ?? 0);
    this.#statedLast.set(number, last);
    this.#statedAt.set(number, date === null ? 0 : Date.parse(date));
    if (lead.hasFlaggedInquiry !== lead.flaggedInquiries > 0 || (id !== null && last === 0))
      this.#contradicting.add(number);
  }

  #balance(name: (typeof countNames)[number], lead: number, count: number): void {
    const balance = this.#balances.get(name);
    balance?.set(lead, balance.get(lead) + count);
  }

  #compare(number: number): void {
    const judgement = this.#judgement;
    const lead = judgement.read(leads, number)?.record;
    if (!lead) return;
    const last = this.#last.get(number);
    const counts = Object.fromEntries(
      [...this.#balances].map(([name, balance]) => [name, lead[name] + balance.get(number)]),
    );
    const expected: Record<string, unknown> = {
      ...counts,
      hasFlaggedInquiry: (counts['flaggedInquiries'] ?? 0) > 0,
      lastInquiryId: last === 0 ? null : idOf(inquiries, judgement.organization, last),
      lastInquiryDate: last === 0 ? null : new Date(this.#lastAt.get(number)).toISOString(),
    };
    const wrong = [...countNames, ...otherNames].filter((name) => lead[name] !== expected[name]);
    if (wrong.length === 0) return;
    const where = judgement.nameOf(leads.name, number);
    const key = judgement.keyOf(leads.name, number);
    const { lost, unreadable } = judgement.numbersOf(inquiries.name);
    // The missing or malformed inquiries may be those that the lead counts.
    const isKnown = lost.length + unreadable.length === 0;
    const addTo = (plan: RepairPlan) => {
      plan.put(key, { ...plan.get(key), ...expected });
    };
    judgement.add(
      'lead-counts',
      where,
      `What ${where} says of its inquiries does not match them (${wrong.join(', ')}).`,
      { repair: isKnown ? { sentence: 'counts its inquiries again', addTo } : undefined },
    );
  }
}
