import * as v from 'valibot';
import { leads, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';
import { optOuts } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import type { RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { hashedWith } from '../../../shared/ledger/internal/hash-key.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { keysOfValue } from '../../../shared/ledger/internal/unique-values.ts';
import { numberOfId } from './collections.ts';
import { keyName, type Finding, type Mend } from './finding.ts';
import type { Noting, Observed, Scene } from './scene.ts';
import type { Judge, Look } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';

type OptOut = RecordOf<typeof optOuts>;

/** A part of a hash, as a number: 48 bits of it, so few leads are suspected for nothing. */
const digest = (numberHash: string): number => Buffer.from(numberHash, 'base64url').readUIntBE(0, 6);

/** Proves that leads say of their phone numbers whether they have opted out: so an opt-out with the number's hash says. */
export class OptOuts {
  readonly #scene: Scene;
  /** The digest of the hash of each lead's number, by the lead's number. */
  readonly #digests = new SparseNumbers();
  /** The leads that say that their numbers have opted out. */
  readonly #saying = new Set<number>();
  /** The opt-outs by their hashes. */
  readonly #optOuts = new Map<string, number>();
  /** Whether each opt-out is of a lead's number, by the key that the head has. Known once leads are judged. */
  #isEachOfALead = false;
  readonly #noting = new Map<string, Noting>([
    [
      leads.name,
      {
        note: (lead: LeadRecord, { number }: Observed) => {
          const { hashKey } = this.#scene.head;
          if (lead.isOptedOut) this.#saying.add(number);
          if (hashKey !== undefined && lead.phone !== '')
            this.#digests.set(number, digest(hashedWith(hashKey, comparableNumber(lead.phone))));
        },
      },
    ],
    [
      optOuts.name,
      {
        note: ({ numberHash }: OptOut, { number }: Observed) => {
          this.#optOuts.set(numberHash, number);
        },
      },
    ],
  ]);

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Takes note of a record, if it is a lead or an opt-out. */
  observe(observed: Observed): void {
    this.#noting.get(observed.state.name)?.note(observed.record, observed);
  }

  async settle(): Promise<void> {
    const scene = this.#scene;
    await scene.settleFindings([this.#judgeKey()]);
    await scene.inPortions(this.#doubtful(), 'the opt-outs of leads', (portion) =>
      scene.settleFindings(portion.map((number) => this.#judge(number))),
    );
  }

  *#doubtful(): Generator<number> {
    const optedOut = new Set(this.#optOuts.keys().map(digest));
    const withoutLead = new Set(optedOut);
    for (const [, one] of this.#digests) withoutLead.delete(one);
    this.#isEachOfALead = withoutLead.size === 0;
    for (const number of this.#saying) if (!optedOut.has(this.#digests.get(number))) yield number;
    for (const [number, one] of this.#digests)
      if (optedOut.has(one) && !this.#saying.has(number)) yield number;
  }

  /** Without the key no opt-out is found by its number. */
  #judgeKey(): Judge<Finding | undefined> {
    const scene = this.#scene;
    const numbers = [...this.#optOuts.values()].slice(0, 1);
    return (look) => {
      const head = scene.headIn(look);
      const isThere = numbers.some((number) => optOutIn(scene, look, number) !== undefined);
      if (!head || head.hashKey !== undefined || !isThere) return undefined;
      const where = keyName(headKey(scene.organization));
      const sentence = `${where} cannot be read: hashKey, without which no opt-out is found by its number.`;
      return { kind: 'head-malformed', where, sentence };
    };
  }

  #judge(number: number): Judge<Finding | undefined> {
    const scene = this.#scene;
    const key = recordKey(scene.organization, leads.name, number);
    const where = scene.nameOf(leads.name, number);
    return (look) => {
      const hashKey = scene.headIn(look)?.hashKey;
      const item = look(key);
      const lead = v.safeParse(leads.schema, item);
      if (!lead.success) return undefined;
      // Without the key, which is found already, nothing tells.
      if (hashKey === undefined && this.#optOuts.size > 0) return undefined;
      const { phone, isOptedOut: isSaid } = lead.output;
      const isHashed = phone !== '' && hashKey !== undefined;
      const numberHash = isHashed ? hashedWith(hashKey, comparableNumber(phone)) : undefined;
      const isOptedOut = numberHash !== undefined && this.#isOptedOut(look, numberHash);
      if (isOptedOut === isSaid) return undefined;
      const said = isSaid
        ? 'has opted out, and no opt-out says so'
        : 'has not opted out, and an opt-out says so';
      const mend: Mend = {
        sentence: isOptedOut ? 'says that it has opted out' : 'says that it has not opted out',
        apply: (draft) => {
          draft.put(key, { ...item, isOptedOut });
        },
      };
      const finding = {
        kind: 'lead-opted-out',
        where,
        sentence: `${where} says that its number ${said}.`,
      } as const;
      return isOptedOut || this.#isAllKnown ? { ...finding, mend } : finding;
    };
  }

  /** Whether there is an opt-out with a hash: one that was read, or one that is found by its unique value. */
  #isOptedOut(look: Look, numberHash: string): boolean {
    const scene = this.#scene;
    const unique = { field: 'numberHash', value: numberHash, isExact: true as const };
    const claimed = keysOfValue(scene.organization, optOuts, unique).map((key) =>
      numberOfId(optOuts, scene.organization, look(key)?.['id']),
    );
    return [this.#optOuts.get(numberHash), ...claimed].some(
      (number) => number !== undefined && optOutIn(scene, look, number)?.numberHash === numberHash,
    );
  }

  /**
   * Whether no opt-out can be missing or unreadable of which a lead may be all that still says it. One whose hash is of no
   * lead's number may be of a number without a lead, or hashed by a key that the head has lost.
   */
  get #isAllKnown(): boolean {
    const { lost, unreadable } = this.#scene.stateOf(optOuts.name);
    return lost.length + unreadable.length === 0 && this.#isEachOfALead;
  }
}

function optOutIn({ organization }: Scene, look: Look, number: number): OptOut | undefined {
  const record = v.safeParse(optOuts.schema, look(recordKey(organization, optOuts.name, number)));
  return record.success ? record.output : undefined;
}
