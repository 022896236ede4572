import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import { optOuts } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import { hashedWith } from '../../../shared/ledger/internal/hash-key.ts';
import { headKey } from '../../../shared/ledger/internal/keys.ts';
import { isOf, type Judgement, type ReadRecord, type Rule } from './judgement.ts';
import type { RepairPlan } from './organization-items.ts';
import { SparseNumbers } from './sparse-numbers.ts';

/** First 48 bits of a hash, to keep a hash of each lead. */
const digest = (numberHash: string): number => Buffer.from(numberHash, 'base64url').readUIntBE(0, 6);

/** Judges `isOptedOut` of each lead: true if there is an opt-out with the hash of the lead's phone number. */
export class OptOuts implements Rule {
  readonly #judgement: Judgement;
  /** Digest of the hash of each lead's phone number, by lead number. */
  readonly #digests = new SparseNumbers();
  readonly #optedOutLeads = new Set<number>();
  readonly #hashes = new Set<string>();

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
  }

  observe(read: ReadRecord): void {
    if (isOf(read, optOuts)) this.#hashes.add(read.record.numberHash);
    if (!isOf(read, leads)) return;
    const hash = this.#hashOf(read.record);
    if (read.record.isOptedOut) this.#optedOutLeads.add(read.number);
    if (hash !== undefined) this.#digests.set(read.number, digest(hash));
  }

  finish(): void {
    const { head, headName, organization } = this.#judgement;
    if (head.hashKey === undefined && this.#hashes.size > 0) {
      // Nothing tells which lead has opted out.
      const sentence = `${headName} cannot be read: hashKey, without which no opt-out is found by its number.`;
      this.#judgement.add('head-malformed', headName, sentence, { keys: [headKey(organization)] });
      return;
    }
    const optedOut = new Set(this.#hashes.values().map(digest));
    const withoutLead = new Set(optedOut);
    for (const [, one] of this.#digests) withoutLead.delete(one);
    for (const number of this.#optedOutLeads)
      if (!optedOut.has(this.#digests.get(number))) this.#judge(number, withoutLead.size === 0);
    for (const [number, one] of this.#digests)
      if (optedOut.has(one) && !this.#optedOutLeads.has(number)) this.#judge(number, true);
  }

  /**
   * `isEachOfALead` is false if an opt-out's hash is of no lead's number: it may belong to a number without a lead, or may
   * be hashed with a key that the head has lost.
   */
  #judge(number: number, isEachOfALead: boolean): void {
    const judgement = this.#judgement;
    const lead = judgement.read(leads, number)?.record;
    if (!lead) return;
    const isOptedOut = this.#hashes.has(this.#hashOf(lead) ?? '');
    if (isOptedOut === lead.isOptedOut) return;
    const where = judgement.nameOf(leads.name, number);
    const key = judgement.keyOf(leads.name, number);
    const stated = lead.isOptedOut
      ? 'has opted out, and no opt-out says so'
      : 'has not opted out, and an opt-out says so';
    const { lost, unreadable } = judgement.numbersOf(optOuts.name);
    // If an opt-out may be lost or malformed, the lead alone still tells of it.
    const isKnown = isOptedOut || (lost.length + unreadable.length === 0 && isEachOfALead);
    const repair = {
      sentence: isOptedOut ? 'says that it has opted out' : 'says that it has not opted out',
      addTo: (plan: RepairPlan) => {
        plan.put(key, { ...plan.get(key), isOptedOut });
      },
    };
    judgement.add('lead-opted-out', where, `${where} says that its number ${stated}.`, {
      repair: isKnown ? repair : undefined,
    });
  }

  /** Hash of the lead's phone number; undefined if it has none, or the head has no key. */
  #hashOf({ phone }: LeadRecord): string | undefined {
    const { hashKey } = this.#judgement.head;
    return hashKey === undefined || phone === '' ? undefined : hashedWith(hashKey, comparableNumber(phone));
  }
}
