import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, RecordRef } from './collection.ts';
import { nameOfKey, recordKey } from './keys.ts';
import { newRecord, storedRecord, type RecordChange } from './record-change.ts';

/** A record by the name of its collection: the code may not know the collection of a list's owner. */
interface NamedRecord {
  collection: string;
  number: number;
}

/** The records of one write: those that it read to change or adds, and those that it found missing. */
export class RecordChanges {
  readonly #organization: OrganizationCode;
  /** Changes by `nameOfKey`: DynamoDB takes one operation per item. */
  readonly #changes = new Map<string, RecordChange>();
  readonly #absent = new Set<string>();

  constructor(organization: OrganizationCode) {
    this.#organization = organization;
  }

  /** Adds a record that was read to change it; `item` is undefined if there is none. */
  addRead(
    { collection, number }: RecordRef,
    item: Item | undefined,
    { mayStayUnchanged = false }: { mayStayUnchanged?: boolean } = {},
  ): void {
    const key = recordKey(this.#organization, collection.name, number);
    if (item === undefined) this.#absent.add(nameOfKey(key));
    else
      this.#changes.set(nameOfKey(key), {
        ...storedRecord(key, { collection, number }, item),
        ...(mayStayUnchanged && { mayStayUnchanged }),
      });
  }

  add<C extends Collection>(ref: RecordRef<C>, record: RecordOf<C>): RecordChange {
    const key = recordKey(this.#organization, ref.collection.name, ref.number);
    const change = newRecord(key, ref, record);
    this.#changes.set(nameOfKey(key), change);
    return change;
  }

  find(record: NamedRecord): RecordChange | undefined {
    return this.#changes.get(this.#nameOf(record));
  }

  /** True if the record was read and does not exist. */
  isAbsent(record: NamedRecord): boolean {
    return this.#absent.has(this.#nameOf(record));
  }

  /** @throws Error for a record that this write has neither appended nor read, or has removed */
  at({ collection, number }: RecordRef): RecordChange {
    const change = this.find({ collection: collection.name, number });
    if (!change || change.after === 'removed')
      throw new Error('A write changes a record that it has not read');
    return change;
  }

  /** Records that are stored or removed, in the order of the write. */
  get changed(): RecordChange[] {
    return [...this.#changes.values()].filter(({ after }) => after !== undefined);
  }

  /**
   * Number of operations for the records. It counts those that were read to change, though they may be
   * unchanged so far.
   */
  get size(): number {
    return [...this.#changes.values()].filter(
      ({ after, mayStayUnchanged }) => after !== undefined || !mayStayUnchanged,
    ).length;
  }

  /** @throws Error for a record that was read to change and is unchanged */
  checkChanged(): void {
    const unchanged = [...this.#changes.values()].find(
      ({ after, mayStayUnchanged }) => after === undefined && !mayStayUnchanged,
    );
    if (unchanged)
      throw new Error(`A record of ${unchanged.key.pk} was read to change and is not: read it as a check`);
  }

  #nameOf({ collection, number }: NamedRecord): string {
    return nameOfKey(recordKey(this.#organization, collection, number));
  }
}
