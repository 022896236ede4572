import { arrivalOf, inquiries } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { unreadCounts } from '../../../shared/domain/leads/lead-change.ts';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import { optOuts } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import { hashedWith } from '../../../shared/ledger/internal/hash-key.ts';
import { headKey } from '../../../shared/ledger/internal/keys.ts';
import { idOf, numberOfId } from '../../../shared/ledger/internal/stored-record.ts';
import { itemRepair } from './finding.ts';
import { isOf, type ReadRecord, Rule } from './judgement.ts';
import { SparseNumbers } from '../table/sparse-numbers.ts';

const countNames = [...Object.values(unreadCounts), 'flaggedInquiries'] as const;

/**
 * Judges the fields of a lead that repeat other records. The fields are the number of unread inquiries by source, the
 * number of flagged inquiries, the last inquiry, the newest SMS thread, and `isOptedOut`. `isOptedOut` is true if
 * there is an opt-out with the hash of the lead's phone number.
 */
export class Leads extends Rule {
  /** Counts of the inquiries of each lead, by name and lead number. */
  readonly #counts = new Map(countNames.map((name) => [name, new SparseNumbers()]));
  /** Number of the last inquiry of each lead, and its arrival in milliseconds. */
  readonly #last = new SparseNumbers();
  readonly #lastAt = new SparseNumbers();
  /** Number of the newest SMS thread of each lead. */
  readonly #threads = new SparseNumbers();
  /** Hashes of the phone numbers that have opted out. */
  readonly #hashes = new Set<string>();

  observe(read: ReadRecord): void {
    if (isOf(read, optOuts)) this.#hashes.add(read.record.numberHash);
    if (!isOf(read, inquiries)) return;
    const { number, record: inquiry } = read;
    const lead = numberOfId(leads, this.judgement.organization, inquiry.leadId) ?? 0;
    if (!inquiry.isRead) this.#count(unreadCounts[inquiry.source], lead);
    if (inquiry.isFlagged) this.#count('flaggedInquiries', lead);
    if (inquiry.source === 'SMS')
      this.#threads.set(lead, Math.max(this.#threads.get(lead), Number(inquiry.sourceId)));
    const at = Date.parse(arrivalOf(inquiry).at);
    // Of two inquiries of one instant, the newer one is the last.
    if (at < this.#lastAt.get(lead)) return;
    this.#last.set(lead, number);
    this.#lastAt.set(lead, at);
  }

  /** Reads the leads again, because an organization has too many leads to keep their fields. */
  finish(): void {
    const withoutLead = new Set(this.#hashes);
    const wrong: { number: number; isOptedOut: boolean }[] = [];
    for (const [number] of this.judgement.numbersOf(leads.name).revisions) {
      const read = this.judgement.read(leads, number);
      if (!read) continue;
      this.#judgeInquiries(read);
      const hash = this.#hashOf(read.record);
      withoutLead.delete(hash);
      const isOptedOut = this.#hashes.has(hash);
      if (read.record.isOptedOut !== isOptedOut) wrong.push({ number, isOptedOut });
    }
    const { head, headName, organization } = this.judgement;
    if (head.hashKey === undefined && this.#hashes.size > 0) {
      // Nothing tells which lead has opted out.
      const sentence = `${headName} cannot be read: hashKey, without which no opt-out is found by its number.`;
      this.judgement.add('head-malformed', headName, sentence, { keys: [headKey(organization)] });
    } else
      for (const { number, isOptedOut } of wrong) this.#addOptOut(number, isOptedOut, withoutLead.size === 0);
  }

  #count(name: (typeof countNames)[number], lead: number): void {
    const counts = this.#counts.get(name);
    counts?.set(lead, counts.get(lead) + 1);
  }

  #judgeInquiries({ number, record }: ReadRecord): void {
    const last = this.#last.get(number);
    const flagged = this.#counts.get('flaggedInquiries')?.get(number) ?? 0;
    const expected: Record<string, unknown> = {
      ...Object.fromEntries([...this.#counts].map(([name, counts]) => [name, counts.get(number)])),
      hasFlaggedInquiry: flagged > 0,
      lastInquiryId: last === 0 ? null : idOf(inquiries, this.judgement.organization, last),
      lastInquiryDate: last === 0 ? null : new Date(this.#lastAt.get(number)).toISOString(),
      newestThreadId: this.#threads.get(number) || undefined,
    };
    const names = Object.keys(expected).filter((name) => record[name] !== expected[name]);
    if (names.length === 0) return;
    const where = this.judgement.nameOf(leads.name, number);
    const key = this.judgement.keyOf(leads.name, number);
    const sentence = `${where} does not match its inquiries (${names.join(', ')}).`;
    const repair = itemRepair('counts its inquiries again', key, (item) => ({ ...item, ...expected }));
    // Missing or malformed inquiries may be those that the lead counts.
    this.judgement.add('lead-counts', where, sentence, {
      repair: this.judgement.isWhole(inquiries.name) ? repair : undefined,
    });
  }

  /**
   * `isEachOfALead` is false if an opt-out's hash is not the hash of any lead's number. The hash may be of a number
   * without a lead, or may come from a key that the head has lost.
   */
  #addOptOut(number: number, isOptedOut: boolean, isEachOfALead: boolean): void {
    const where = this.judgement.nameOf(leads.name, number);
    const key = this.judgement.keyOf(leads.name, number);
    const has = (is: boolean) => (is ? 'has opted out' : 'has not opted out');
    const says = isOptedOut ? 'an opt-out says so' : 'no opt-out says so';
    // If an opt-out may be lost or malformed, the lead alone still tells of it.
    const isKnown = isOptedOut || (this.judgement.isWhole(optOuts.name) && isEachOfALead);
    const repair = itemRepair(`says that it ${has(isOptedOut)}`, key, (item) => ({ ...item, isOptedOut }));
    const sentence = `${where} says that its number ${has(!isOptedOut)}, and ${says}.`;
    this.judgement.add('lead-opted-out', where, sentence, { repair: isKnown ? repair : undefined });
  }

  /** Hash of the lead's phone number; empty if it has none, or the head has no key. */
  #hashOf({ phone }: LeadRecord): string {
    const { hashKey } = this.judgement.head;
    return hashKey === undefined || phone === '' ? '' : hashedWith(hashKey, comparableNumber(phone));
  }
}
