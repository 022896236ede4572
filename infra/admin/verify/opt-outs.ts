import * as v from 'valibot';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import { optOuts } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import type { RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { hashedWith } from '../../../shared/ledger/internal/hash-key.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { keyOfValue } from '../../../shared/ledger/internal/unique-values.ts';
import { numberOfId } from './collections.ts';
import { keyName, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import type { RecordObserver, ObservedRecord, Verification } from './verification.ts';
import type { Check, Snapshot } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';

type OptOut = RecordOf<typeof optOuts>;

/** A part of a hash, as a number: 48 bits of it, so few leads are suspected for nothing. */
const digest = (numberHash: string): number => Buffer.from(numberHash, 'base64url').readUIntBE(0, 6);

/** Proves that leads say of their phone numbers whether they have opted out: so an opt-out with the number's hash says. */
export class OptOuts {
  readonly #verification: Verification;
  /** The digest of the hash of each lead's number, by the lead's number. */
  readonly #digests = new SparseNumbers();
  /** The leads that say that their numbers have opted out. */
  readonly #optedOutLeads = new Set<number>();
  /** The opt-outs by their hashes. */
  readonly #optOuts = new Map<string, number>();
  /** Whether each opt-out is of a lead's number, by the key that the head has. HoleCorrections once leads are judged. */
  #isEachOfALead = false;
  readonly #observers = new Map<string, RecordObserver>([
    [
      leads.name,
      {
        observe: (lead: LeadRecord, { number }: ObservedRecord) => {
          const { hashKey } = this.#verification.head;
          if (lead.isOptedOut) this.#optedOutLeads.add(number);
          if (hashKey !== undefined && lead.phone !== '')
            this.#digests.set(number, digest(hashedWith(hashKey, comparableNumber(lead.phone))));
        },
      },
    ],
    [
      optOuts.name,
      {
        observe: ({ numberHash }: OptOut, { number }: ObservedRecord) => {
          this.#optOuts.set(numberHash, number);
        },
      },
    ],
  ]);

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  /** Takes note of a record, if it is a lead or an opt-out. */
  observe(observed: ObservedRecord): void {
    this.#observers.get(observed.collection.name)?.observe(observed.record, observed);
  }

  async verify(): Promise<void> {
    const verification = this.#verification;
    await verification.confirmFindings([this.#checkKey()]);
    await verification.inBatches(this.#suspects(), 'the opt-outs of leads', (batch) =>
      verification.confirmFindings(batch.map((number) => this.#judge(number))),
    );
  }

  *#suspects(): Generator<number> {
    const optedOut = new Set(this.#optOuts.keys().map(digest));
    const withoutLead = new Set(optedOut);
    for (const [, one] of this.#digests) withoutLead.delete(one);
    this.#isEachOfALead = withoutLead.size === 0;
    for (const number of this.#optedOutLeads) if (!optedOut.has(this.#digests.get(number))) yield number;
    for (const [number, one] of this.#digests)
      if (optedOut.has(one) && !this.#optedOutLeads.has(number)) yield number;
  }

  /** Without the key no opt-out is found by its number. */
  #checkKey(): Check<Finding | undefined> {
    const verification = this.#verification;
    const numbers = [...this.#optOuts.values()].slice(0, 1);
    return (snapshot) => {
      const head = verification.headIn(snapshot);
      const isThere = numbers.some((number) => optOutIn(verification, snapshot, number) !== undefined);
      if (!head || head.hashKey !== undefined || !isThere) return undefined;
      const where = keyName(headKey(verification.organization));
      const sentence = `${where} cannot be read: hashKey, without which no opt-out is found by its number.`;
      return { kind: 'head-malformed', where, sentence };
    };
  }

  #judge(number: number): Check<Finding | undefined> {
    const verification = this.#verification;
    const key = recordKey(verification.organization, leads.name, number);
    const where = verification.nameOf(leads.name, number);
    return (snapshot) => {
      const hashKey = verification.headIn(snapshot)?.hashKey;
      const item = snapshot.get(key);
      const lead = v.safeParse(leads.schema, item);
      if (!lead.success) return undefined;
      // Without the key, which is found already, nothing tells.
      if (hashKey === undefined && this.#optOuts.size > 0) return undefined;
      const { phone, isOptedOut: isStated } = lead.output;
      const isHashed = phone !== '' && hashKey !== undefined;
      const numberHash = isHashed ? hashedWith(hashKey, comparableNumber(phone)) : undefined;
      const isOptedOut = numberHash !== undefined && this.#isOptedOut(snapshot, numberHash);
      if (isOptedOut === isStated) return undefined;
      const stated = isStated
        ? 'has opted out, and no opt-out says so'
        : 'has not opted out, and an opt-out says so';
      const repair: Repair = {
        sentence: isOptedOut ? 'says that it has opted out' : 'says that it has not opted out',
        addTo: (plan) => {
          plan.put(key, { ...item, isOptedOut });
        },
      };
      const finding = {
        kind: 'lead-opted-out',
        where,
        sentence: `${where} says that its number ${stated}.`,
      } as const;
      return isOptedOut || this.#isAllKnown ? { ...finding, repair } : finding;
    };
  }

  /** Whether there is an opt-out with a hash: one that was read, or one that is found by its unique value. */
  #isOptedOut(snapshot: Snapshot, numberHash: string): boolean {
    const verification = this.#verification;
    const unique = { field: 'numberHash', value: numberHash, isExact: true as const };
    const key = keyOfValue(verification.organization, optOuts, unique);
    const claimed = key && numberOfId(optOuts, verification.organization, snapshot.get(key)?.['id']);
    return [this.#optOuts.get(numberHash), claimed].some(
      (number) => number !== undefined && optOutIn(verification, snapshot, number)?.numberHash === numberHash,
    );
  }

  /**
   * Whether no opt-out can be missing or unreadable of which a lead may be all that still says it. One whose hash is of no
   * lead's number may be of a number without a lead, or hashed by a key that the head has lost.
   */
  get #isAllKnown(): boolean {
    const { lost, unreadable } = this.#verification.observedCollection(optOuts.name);
    return lost.length + unreadable.length === 0 && this.#isEachOfALead;
  }
}

function optOutIn({ organization }: Verification, snapshot: Snapshot, number: number): OptOut | undefined {
  const record = v.safeParse(optOuts.schema, snapshot.get(recordKey(organization, optOuts.name, number)));
  return record.success ? record.output : undefined;
}
