import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { uniquePartition, type Key } from '../../../shared/ledger/internal/keys.ts';
import { heldValues, type HeldValue } from '../../../shared/ledger/internal/unique-values.ts';
import { strictNumberOfId } from '../table/collections.ts';
import { itemRepair } from './finding.ts';
import { type Judgement, type ReadRecord, Rule } from './judgement.ts';

/** Judges that each live record holds its unique values, and that no other value is held. */
export class UniqueValues extends Rule {
  /** Values that records have and that are not held for them. */
  readonly #notHeld: { value: HeldValue; collection: Collection; number: number }[] = [];
  /**
   * Held values by sort key, each with the holder's id. A value is removed once a record with it is found.
   */
  readonly #held = new Map<string, unknown>();

  constructor(judgement: Judgement) {
    super(judgement);
    const pk = uniquePartition(judgement.organization);
    for (const item of judgement.items.partition(pk)) {
      const sk = String(item['sk']);
      if (this.#collectionOf(sk)) this.#held.set(sk, item['id']);
      else judgement.addUnknown({ pk, sk });
    }
  }

  observe(read: ReadRecord): void {
    const { collection, number } = read;
    for (const value of this.#valuesOf(read)) {
      if (this.#held.get(value.key.sk) === value.holder) this.#held.delete(value.key.sk);
      else this.#notHeld.push({ value, collection, number });
    }
  }

  finish(): void {
    for (const { value, collection, number } of this.#notHeld) {
      const { key, holder: id, unique } = value;
      const where = this.judgement.nameOf(collection.name, number);
      const has = `${where} has a value of ${collection.name}.${unique.field}`;
      const item = this.judgement.items.get(key);
      // The value is held for another record: one finding, not two.
      if (item) this.#held.delete(key.sk);
      const holder = strictNumberOfId(collection, this.judgement.organization, item?.['id']);
      const heldFor = holder === undefined ? 'no record' : this.judgement.nameOf(collection.name, holder);
      this.judgement.add('unique-not-held', where, `${has} that is held for ${heldFor}.`, {
        keys: [key],
        repair: this.#isStale(collection, holder, key)
          ? itemRepair(`holds it for ${where}`, key, () => ({ id }))
          : undefined,
      });
    }
    for (const [sk, id] of this.#held) {
      const collection = this.#collectionOf(sk);
      if (!collection) continue;
      const key = { pk: uniquePartition(this.judgement.organization), sk };
      const [kind = ''] = sk.split('#');
      const number = strictNumberOfId(collection, this.judgement.organization, id);
      const holder = number === undefined ? undefined : this.judgement.nameOf(collection.name, number);
      const where = holder === undefined ? kind : `${kind} of ${holder}`;
      const sentence = `A value of ${kind} is held for ${holder ?? 'what is no record'}, and not found there: no record can take it.`;
      this.judgement.add('unique-without-record', where, sentence, {
        keys: [key],
        repair: this.#isStale(collection, number, key)
          ? itemRepair('releases it', key, () => undefined)
          : undefined,
      });
    }
  }

  /** True if a value is held for a record that does not have it. A lost or malformed record may have it. */
  #isStale(collection: Collection, number: number | undefined, { sk }: Key): boolean {
    const { name } = collection;
    if (number === undefined) return true;
    if (!this.judgement.isRecord(name, number))
      return this.judgement.isHole(name, number) || number > this.judgement.numbersOf(name).last;
    const read = this.judgement.read(collection, number);
    return read !== undefined && !this.#valuesOf(read).some(({ key }) => key.sk === sk);
  }

  #valuesOf({ collection, record, item }: ReadRecord): HeldValue[] {
    return collection.uniques ? heldValues(this.judgement.organization, collection, record, item) : [];
  }

  /** Collection in the sort key of a unique value, such as `LEAD.email#ann@example.com`. */
  #collectionOf(sk: string): Collection | undefined {
    const [kind = ''] = sk.split('#');
    const [name = '', field] = kind.split('.');
    const collection = this.judgement.collections.get(name);
    return collection?.uniques && field !== undefined ? collection : undefined;
  }
}
