import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { uniquePartition, type Key } from '../../../shared/ledger/internal/keys.ts';
import { heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { strictNumberOfId } from './collections.ts';
import type { Repair } from './finding.ts';
import type { Judgement, ReadRecord, Rule } from './judgement.ts';

/** Unique value of a record: its collection and field, such as `LEAD.email`, and its holder. */
interface Value {
  kind: string;
  name: string;
  number: number;
  /** The record's public id. */
  id: string | number;
}

/** Judges that each live record holds its unique values, and that no other value is held. */
export class UniqueValues implements Rule {
  readonly #judgement: Judgement;
  /** Values that records have and do not hold, by sort key. */
  readonly #notHeld: [sk: string, Value][] = [];
  /** Values that are held, by sort key; those of records that have them are removed. */
  readonly #held = new Map<string, Item['id']>();

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
    for (const item of judgement.items.partition(uniquePartition(judgement.organization)))
      this.#observeValue(String(item['sk']), item['id']);
  }

  observe({ collection, number, item, record }: ReadRecord): void {
    for (const { key, unique, holder } of this.#valuesOf(collection, record, item)) {
      if (this.#held.get(key.sk) === holder) this.#held.delete(key.sk);
      else {
        const kind = `${collection.name}.${unique.field}`;
        this.#notHeld.push([key.sk, { kind, name: collection.name, number, id: holder }]);
      }
    }
  }

  finish(): void {
    for (const [sk, value] of this.#notHeld) this.#addNotHeld(sk, value);
    for (const [sk, id] of this.#held) this.#addHeld(sk, id);
  }

  #observeValue(sk: string, id: unknown): void {
    const judgement = this.#judgement;
    const [kind = ''] = sk.split('#');
    const collection = this.#collectionOf(kind);
    const pk = uniquePartition(judgement.organization);
    if (!collection) {
      const sentence = `${pk} has an item that is no unique value of any collection.`;
      judgement.add('unknown-item', pk, sentence, { keys: [{ pk, sk }] });
    } else if (strictNumberOfId(collection, judgement.organization, id) === undefined) {
      const sentence = `A value of ${kind} is held for something that can be no ${collection.label} of the organization.`;
      judgement.add('unique-without-record', kind, sentence, {
        keys: [{ pk, sk }],
        repair: release({ pk, sk }),
      });
    } else this.#held.set(sk, id);
  }

  #addNotHeld(sk: string, { kind, name, number, id }: Value): void {
    const judgement = this.#judgement;
    const key = { pk: uniquePartition(judgement.organization), sk };
    const where = judgement.nameOf(name, number);
    const repair: Repair = {
      sentence: `holds it for ${where}`,
      addTo: (plan) => {
        plan.put(key, { id });
      },
    };
    const item = judgement.items.get(key);
    if (!item) {
      const sentence = `${where} has a value of ${kind} that is not held for it: another record could take it.`;
      judgement.add('unique-missing', where, sentence, { keys: [key], repair });
      return;
    }
    // Held for another record than the one that has it: one finding, not two.
    this.#held.delete(sk);
    const collection = judgement.collections.get(name);
    const holder = collection && strictNumberOfId(collection, judgement.organization, item['id']);
    const heldFor = holder === undefined ? 'no record' : judgement.nameOf(name, holder);
    const sentence = `${where} has a value of ${kind} that is held for ${heldFor}.`;
    const isStale = holder === undefined || this.#isStale(name, holder, sk);
    judgement.add('unique-other-holder', where, sentence, {
      keys: [key],
      repair: isStale ? repair : undefined,
    });
  }

  #addHeld(sk: string, id: unknown): void {
    const judgement = this.#judgement;
    const [kind = ''] = sk.split('#');
    const collection = this.#collectionOf(kind);
    const number = collection && strictNumberOfId(collection, judgement.organization, id);
    if (!collection || number === undefined) return;
    const key = { pk: uniquePartition(judgement.organization), sk };
    const holder = judgement.nameOf(collection.name, number);
    const why = judgement.isRecord(collection.name, number) ? 'which has another' : 'which is not there';
    const sentence = `A value of ${kind} is held for ${holder}, ${why}: no record can take it.`;
    const repair = this.#isStale(collection.name, number, sk) ? release(key) : undefined;
    judgement.add('unique-without-record', `${kind} of ${holder}`, sentence, { keys: [key], repair });
  }

  /** True if the record for which a value is held does not have it. A lost or malformed record may have it. */
  #isStale(name: string, number: number, sk: string): boolean {
    const judgement = this.#judgement;
    const { last, unreadable } = judgement.numbersOf(name);
    if (!judgement.isRecord(name, number)) return judgement.isHole(name, number) || number > last;
    if (unreadable.includes(number)) return false;
    const collection = judgement.collections.get(name);
    const item = judgement.items.get(judgement.keyOf(name, number));
    const parsed = collection && v.safeParse(collection.schema, item);
    if (!collection || !item || !parsed?.success) return false;
    return !this.#valuesOf(collection, parsed.output, item).some(({ key }) => key.sk === sk);
  }

  #valuesOf(collection: Collection, record: RecordOf<Collection>, item: Item) {
    return collection.uniques ? heldValues(this.#judgement.organization, collection, record, item) : [];
  }

  /** Collection of a kind of unique values, such as `LEAD.email`. */
  #collectionOf(kind: string): Collection | undefined {
    const collection = this.#judgement.collections.get(kind.split('.')[0] ?? '');
    return collection?.uniques && kind.includes('.') ? collection : undefined;
  }
}

const release = (key: Key): Repair => ({
  sentence: 'releases it',
  addTo: (plan) => {
    plan.remove(key);
  },
});
