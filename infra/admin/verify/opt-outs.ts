import * as v from 'valibot';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import { optOuts } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import type { RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { hashedWith } from '../../../shared/ledger/internal/hash-key.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { keyOfValue } from '../../../shared/ledger/internal/unique-values.ts';
import { strictNumberOfId } from './collections.ts';
import { keyName, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import type { RecordObserver, ObservedRecord, Verification } from './verification.ts';
import type { Check, Snapshot } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';

type OptOut = RecordOf<typeof optOuts>;

/** First 48 bits of a hash: few leads become suspects by a collision. */
const digest = (numberHash: string): number => Buffer.from(numberHash, 'base64url').readUIntBE(0, 6);

/**
 * Verifies that `isOptedOut` of each lead is right: true if there is an opt-out with the hash of the lead's
 * phone number.
 */
export class OptOuts {
  readonly #verification: Verification;
  /** Digest of the hash of each lead's phone number, by lead number. */
  readonly #digests = new SparseNumbers();
  /** Numbers of leads with `isOptedOut`. */
  readonly #optedOutLeads = new Set<number>();
  /** Numbers of the opt-outs, by hash. */
  readonly #optOuts = new Map<string, number>();
  /**
   * True if each opt-out has the hash of a lead's number, by the head's hash key. Set before leads are
   * checked.
   */
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

  /** Observes a record, if it is a lead or an opt-out. */
  observe(observed: ObservedRecord): void {
    this.#observers.get(observed.collection.name)?.observe(observed.record, observed);
  }

  async verify(): Promise<void> {
    const verification = this.#verification;
    await verification.confirmFindings([this.#checkKey()]);
    await verification.inBatches(this.#suspects(), 'the opt-outs of leads', (batch) =>
      verification.confirmFindings(batch.map((number) => this.#check(number))),
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

  /** Checks that the head has the hash key: without the key no opt-out is found by its number. */
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

  #check(number: number): Check<Finding | undefined> {
    const verification = this.#verification;
    const key = recordKey(verification.organization, leads.name, number);
    const where = verification.nameOf(leads.name, number);
    return (snapshot) => {
      const hashKey = verification.headIn(snapshot)?.hashKey;
      const item = snapshot.get(key);
      const lead = v.safeParse(leads.schema, item);
      if (!lead.success) return undefined;
      // The missing key has a finding of its own, and without the key nothing tells.
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

  /** True if an opt-out has the hash: an observed one, or one that the unique value names. */
  #isOptedOut(snapshot: Snapshot, numberHash: string): boolean {
    const verification = this.#verification;
    const unique = { field: 'numberHash', value: numberHash, isExact: true as const };
    const key = keyOfValue(verification.organization, optOuts, unique);
    const claimed = key && strictNumberOfId(optOuts, verification.organization, snapshot.get(key)?.['id']);
    return [this.#optOuts.get(numberHash), claimed].some(
      (number) => number !== undefined && optOutIn(verification, snapshot, number)?.numberHash === numberHash,
    );
  }

  /**
   * False if an opt-out may be lost or malformed, so that the lead alone still tells of it. An opt-out whose
   * hash is of no lead's number may belong to a number without a lead, or may be hashed with a key that the
   * head has lost.
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
