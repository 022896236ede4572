import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { parseHead, stateIn } from '../../../shared/ledger/internal/head.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { numberOfId } from '../../../shared/ledger/internal/stored-record.ts';
import { inquiries, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import type { Finding, Mend } from './finding.ts';
import { InquiryTally, tallyOf, wrongIn, type LeadTally } from './inquiry-tally.ts';
import { inParallel } from './parallel.ts';
import type { Reading } from './rank-search.ts';
import { marks, type Noting, type Observed, type Scene } from './scene.ts';
import { SeenInquiries } from './seen-inquiries.ts';
import { retryWait } from './snapshots.ts';

/** How many leads are judged at a time; how often one is tried while it is written to; and DynamoDB's limit on one read. */
const atOnce = 4;
const maxTries = 100;
const maxKeys = 100;

/**
 * Proves that what a lead says of its inquiries is so: how many of each source nobody has read, how many are flagged, and
 * of which something came last.
 *
 * Every write of an inquiry that changes any of it also replaces the lead. So several reads of the inquiries that all show
 * the lead at one revision are of one state of them: that settles a suspicion, however many inquiries there are.
 */
export class LeadCounts {
  readonly #scene: Scene;
  readonly #reading: Reading;
  readonly #seen = new SeenInquiries();
  readonly #noting = new Map<string, Noting>([
    [
      inquiries.name,
      {
        note: (inquiry: InquiryRecord, { number }: Observed) => {
          this.#seen.addInquiry(this.#leadOf(inquiry), number, inquiry);
        },
      },
    ],
    [
      leads.name,
      {
        note: (lead: LeadRecord, { number }: Observed) => {
          this.#seen.addLead(number, tallyOf(lead), this.#numberOf(lead.lastInquiryId));
        },
      },
    ],
  ]);

  constructor(scene: Scene, reading: Reading) {
    this.#scene = scene;
    this.#reading = reading;
  }

  /** Takes note of a record, if it is an inquiry or a lead. */
  observe(observed: Observed): void {
    this.#noting.get(observed.state.name)?.note(observed.record, observed);
  }

  async settle(): Promise<void> {
    const scene = this.#scene;
    const isLead = scene.stateOf(leads.name).marks;
    const doubtful = this.#seen.doubtful().filter((number) => (isLead.get(number) & marks.record) !== 0);
    await scene.inPortions(doubtful, 'what leads say of their inquiries', async (portion) => {
      const found = await inParallel(atOnce, portion, (number) => this.#judge(number));
      scene.findings.push(...found.flatMap((one) => one ?? []));
    });
  }

  async #judge(number: number): Promise<Finding | undefined> {
    const { reads, organization } = this.#scene;
    const keys = [recordKey(organization, leads.name, number), headKey(organization)];
    for (let tries = 1; tries <= maxTries; tries++) {
      const read = await reads.snapshot(keys);
      if (read) {
        const [item, head] = read;
        const lead = v.safeParse(leads.schema, item);
        if (!item || !lead.success || !head) return undefined;
        const { last } = stateIn(parseHead(head), inquiries.name);
        const right = await this.#tallyAt(number, item['revision'], last);
        if (right === 'unreadable') return undefined;
        if (right) return this.#compare(number, lead.output, right);
      }
      await retryWait(reads.system, tries);
    }
    this.#scene.unsettled++;
    return undefined;
  }

  /** What its inquiries say of a lead; undefined where it was written to meanwhile, and is at another revision. */
  async #tallyAt(
    lead: number,
    revision: unknown,
    last: number,
  ): Promise<LeadTally | 'unreadable' | undefined> {
    const { reads, organization } = this.#scene;
    await this.#reading.catchUp(inquiries.name);
    const key = recordKey(organization, leads.name, lead);
    const numbers = [...this.#seen.of(lead), ...this.#unseen(last)];
    const tally = new InquiryTally();
    const size = maxKeys - 1;
    const portions = Array.from({ length: Math.ceil(numbers.length / size) }, (_, at) =>
      numbers.slice(at * size, (at + 1) * size),
    );
    const results = await inParallel(atOnce, portions, async (portion) => {
      const all = portion.map((number) => recordKey(organization, inquiries.name, number));
      const [now, ...items] = (await reads.snapshot([key, ...all])) ?? [];
      if (now?.['revision'] !== revision) return 'moved';
      return portion.every((_, at) => this.#add(tally, lead, items[at])) ? 'read' : 'unreadable';
    });
    if (results.includes('moved')) return undefined;
    return results.includes('unreadable') ? 'unreadable' : tally.result;
  }

  /** Adds an inquiry that may be one of the lead; false where it cannot be told. */
  #add(tally: InquiryTally, lead: number, item: Item | undefined): boolean {
    const parsed = v.safeParse(inquiries.schema, item);
    if (parsed.success && this.#leadOf(parsed.output) === lead) tally.add(parsed.output);
    return parsed.success;
  }

  /** The inquiries up to the last that were not read yet: a transaction of which only a part was to be seen. */
  *#unseen(last: number): Generator<number> {
    const { marks: seen, settledTo } = this.#scene.stateOf(inquiries.name);
    for (let number = settledTo + 1; number <= last; number++)
      if ((seen.get(number) & marks.record) === 0) yield number;
  }

  #compare(number: number, lead: LeadRecord, right: LeadTally): Finding | undefined {
    const said = tallyOf(lead);
    const wrong = wrongIn(said, right);
    if (wrong.length === 0) return undefined;
    const where = this.#scene.nameOf(leads.name, number);
    const sentence = `${where} says of its inquiries what they do not (${wrong.join(', ')}).`;
    const { lost, unreadable } = this.#scene.stateOf(inquiries.name);
    // Those that are missing or cannot be read may be what it says.
    if (lost.length + unreadable.length > 0) return { kind: 'lead-counts', where, sentence };
    return { kind: 'lead-counts', where, sentence, mend: this.#corrected(number, said, right) };
  }

  /**
   * Adds to each count what it lacks. Whoever writes meanwhile adds to what the lead says, or takes from it, so it is right
   * then too, and the inquiries need not be read again.
   */
  #corrected(number: number, said: LeadTally, right: LeadTally): Mend {
    const key = recordKey(this.#scene.organization, leads.name, number);
    return {
      sentence: 'counts its inquiries again',
      apply: (draft) => {
        const item = draft.look(key);
        const lead = v.safeParse(leads.schema, item);
        if (!item || !lead.success) return;
        const now = tallyOf(lead.output);
        const counts = Object.entries(now.counts).map(([name, count]) => {
          const lacks = (right.counts[name] ?? 0) - (said.counts[name] ?? 0);
          return [name, Math.max(0, count + lacks)] as const;
        });
        const { flaggedInquiries = 0 } = Object.fromEntries(counts);
        const isSame =
          now.lastInquiryId === said.lastInquiryId && now.lastInquiryDate === said.lastInquiryDate;
        const { lastInquiryId, lastInquiryDate } = isSame ? right : now;
        draft.put(key, {
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
    return numberOfId(leads, this.#scene.organization, leadId) ?? 0;
  }

  #numberOf(inquiryId: string | null): number {
    if (inquiryId === null) return 0;
    return numberOfId(inquiries, this.#scene.organization, inquiryId) ?? 0;
  }
}
