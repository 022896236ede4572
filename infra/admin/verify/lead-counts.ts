import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { parseHead, stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { numberOfId } from '../../../shared/ledger/internal/stored-record.ts';
import { inquiries, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import type { Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { InquiryTally, tallyOf, wrongIn, type LeadTally } from './inquiry-tally.ts';
import { inParallel } from './parallel.ts';
import type { PartitionReader } from './rank-search.ts';
import { numberFlag, type RecordObserver, type ObservedRecord, type Verification } from './verification.ts';
import { ObservedInquiries } from './observed-inquiries.ts';
import { maxSnapshotItems, retryWait } from './table-reads.ts';

/**
 * Number of leads that are checked at a time; then the number of tries for a lead that others write to.
 */
const atOnce = 4;
const maxTries = 100;

/**
 * Verifies what a lead says of its inquiries: the number of unread ones by source, the number of flagged
 * ones, and the last inquiry.
 *
 * Every write of an inquiry that changes any of these also replaces the lead. So several reads that all show
 * the lead at one revision show its inquiries in one state, however many inquiries there are.
 */
export class LeadCounts {
  readonly #verification: Verification;
  readonly #reader: PartitionReader;
  readonly #observed = new ObservedInquiries();
  readonly #observers = new Map<string, RecordObserver>([
    [
      inquiries.name,
      {
        observe: (inquiry: InquiryRecord, { number }: ObservedRecord) => {
          this.#observed.addInquiry(this.#leadOf(inquiry), number, inquiry);
        },
      },
    ],
    [
      leads.name,
      {
        observe: (lead: LeadRecord, { number }: ObservedRecord) => {
          this.#observed.addLead(number, tallyOf(lead), this.#numberOf(lead.lastInquiryId));
        },
      },
    ],
  ]);

  constructor(verification: Verification, reader: PartitionReader) {
    this.#verification = verification;
    this.#reader = reader;
  }

  /** Observes a record, if it is an inquiry or a lead. */
  observe(observed: ObservedRecord): void {
    this.#observers.get(observed.collection.name)?.observe(observed.record, observed);
  }

  async verify(): Promise<void> {
    const verification = this.#verification;
    const { flags } = verification.observedCollection(leads.name);
    const suspects = this.#observed
      .suspects()
      .filter((number) => (flags.get(number) & numberFlag.record) !== 0);
    await verification.inBatches(suspects, 'what leads say of their inquiries', async (batch) => {
      const found = await inParallel(atOnce, batch, (number) => this.#check(number));
      verification.findings.push(...found.flatMap((one) => one ?? []));
    });
  }

  async #check(number: number): Promise<Finding | undefined> {
    const { reads, organization } = this.#verification;
    const keys = [recordKey(organization, leads.name, number), headKey(organization)];
    for (let tries = 1; tries <= maxTries; tries++) {
      const read = await reads.snapshot(keys);
      if (read) {
        const [item, head] = read;
        const lead = v.safeParse(leads.schema, item);
        if (!item || !lead.success || !head) return undefined;
        const { last } = stateIn(parseHead(head), inquiries.name);
        const expected = await this.#tallyAt(number, item['revision'], last);
        if (expected === 'unreadable') return undefined;
        if (expected) return this.#compare(number, lead.output, expected);
      }
      await retryWait(reads.system, tries);
    }
    this.#verification.unsettled++;
    return undefined;
  }

  /** Counts the lead's inquiries; undefined if a write changed the lead's revision meanwhile. */
  async #tallyAt(
    lead: number,
    revision: unknown,
    last: number,
  ): Promise<LeadTally | 'unreadable' | undefined> {
    const { reads, organization } = this.#verification;
    await this.#reader.catchUp(inquiries.name);
    const key = recordKey(organization, leads.name, lead);
    const numbers = [...this.#observed.of(lead), ...this.#unseen(last)];
    const tally = new InquiryTally();
    const size = maxSnapshotItems - 1;
    const batches = Array.from({ length: Math.ceil(numbers.length / size) }, (_, at) =>
      numbers.slice(at * size, (at + 1) * size),
    );
    const results = await inParallel(atOnce, batches, async (batch) => {
      const all = batch.map((number) => recordKey(organization, inquiries.name, number));
      const [now, ...items] = (await reads.snapshot([key, ...all])) ?? [];
      if (now?.['revision'] !== revision) return 'moved';
      return batch.every((_, at) => this.#add(tally, lead, items[at])) ? 'read' : 'unreadable';
    });
    if (results.includes('moved')) return undefined;
    return results.includes('unreadable') ? 'unreadable' : tally.result;
  }

  /** Adds the inquiry if it is one of the lead; false if it is unreadable. */
  #add(tally: InquiryTally, lead: number, item: Item | undefined): boolean {
    const parsed = v.safeParse(inquiries.schema, item);
    if (parsed.success && this.#leadOf(parsed.output) === lead) tally.add(parsed.output);
    return parsed.success;
  }

  /**
   * Numbers of inquiries that were not read yet, since the queries showed only a part of their transaction.
   */
  *#unseen(last: number): Generator<number> {
    const { flags, checkedTo } = this.#verification.observedCollection(inquiries.name);
    for (let number = checkedTo + 1; number <= last; number++)
      if ((flags.get(number) & numberFlag.record) === 0) yield number;
  }

  #compare(number: number, lead: LeadRecord, expected: LeadTally): Finding | undefined {
    const stated = tallyOf(lead);
    const wrong = wrongIn(stated, expected);
    if (wrong.length === 0) return undefined;
    const where = this.#verification.nameOf(leads.name, number);
    const sentence = `What ${where} says of its inquiries does not match them (${wrong.join(', ')}).`;
    const { lost, unreadable } = this.#verification.observedCollection(inquiries.name);
    // The missing or malformed inquiries may be those that the lead counts.
    if (lost.length + unreadable.length > 0) return { kind: 'lead-counts', where, sentence };
    return { kind: 'lead-counts', where, sentence, repair: this.#correctCounts(number, stated, expected) };
  }

  /**
   * Adds to each count what it lacked. Writers meanwhile add to the stored counts or subtract from them, so
   * the result is right without reading the inquiries again.
   */
  #correctCounts(number: number, stated: LeadTally, expected: LeadTally): Repair {
    const key = recordKey(this.#verification.organization, leads.name, number);
    return {
      sentence: 'counts its inquiries again',
      addTo: (plan) => {
        const item = plan.get(key);
        const lead = v.safeParse(leads.schema, item);
        if (!item || !lead.success) return;
        const now = tallyOf(lead.output);
        const counts = Object.entries(now.counts).map(([name, count]) => {
          const lacks = (expected.counts[name] ?? 0) - (stated.counts[name] ?? 0);
          return [name, Math.max(0, count + lacks)] as const;
        });
        const { flaggedInquiries = 0 } = Object.fromEntries(counts);
        const isSame =
          now.lastInquiryId === stated.lastInquiryId && now.lastInquiryDate === stated.lastInquiryDate;
        const { lastInquiryId, lastInquiryDate } = isSame ? expected : now;
        plan.put(key, {
          ...item,
          ...Object.fromEntries(counts),
          hasFlaggedInquiry: flaggedInquiries > 0,
          lastInquiryId,
          lastInquiryDate,
        });
      },
    };
  }

  #leadOf({ leadId }: Pick<InquiryRecord, 'leadId'>): number {
    return numberOfId(leads, this.#verification.organization, leadId) ?? 0;
  }

  #numberOf(inquiryId: string | null): number {
    if (inquiryId === null) return 0;
    return numberOfId(inquiries, this.#verification.organization, inquiryId) ?? 0;
  }
}
