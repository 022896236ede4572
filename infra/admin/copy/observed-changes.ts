import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { TouchedRecord } from '../../../shared/ledger/internal/touched-records.ts';

interface ChangedRecord {
  collection: string;
  number: number;
  /** Versions that changed the record, oldest first. */
  versions: { version: number; isRemoved: boolean }[];
  /** Items as read, by revision. Each is the record's state from that version to the next. */
  readonly reads: Map<number, Item>;
}

export type RecordName = Pick<ChangedRecord, 'collection' | 'number'>;

/**
 * Changes of records by version, as the events list them, and the items read meanwhile. Each item has the
 * revision of its last change, so the order of reads does not matter. A record's state at a version is known
 * once a read showed the record with the right revision. The last event up to that version tells the right
 * revision.
 */
export class ObservedChanges {
  readonly #records = new Map<string, ChangedRecord>();

  /** Adds the records that a write touched. Writes are added in the order of their versions. */
  addWrite(version: number, touched: readonly TouchedRecord[]): void {
    for (const { collection, number, isRemoved } of touched) {
      const name = nameOf(collection, number);
      const known: ChangedRecord = this.#records.get(name) ?? {
        collection,
        number,
        versions: [],
        reads: new Map(),
      };
      this.#records.set(name, known);
      known.versions.push({ version, isRemoved });
    }
  }

  addRead({ collection, number }: RecordName, revision: number, item: Item): void {
    this.#records.get(nameOf(collection, number))?.reads.set(revision, item);
  }

  /** Records whose state at a version is not known yet. */
  unknownAt(version: number): RecordName[] {
    return [...this.#records.values()].filter((record) => stateAt(record, version) === 'unknown');
  }

  /**
   * Changed records of a collection up to a version, by number: the item, or `gone`. Every state must be
   * known.
   */
  changesAt(name: string, version: number): Map<number, Item | 'gone'> {
    const changes = new Map<number, Item | 'gone'>();
    for (const record of this.#records.values()) {
      const state = record.collection === name ? stateAt(record, version) : 'unchanged';
      if (state !== 'unchanged' && state !== 'unknown') changes.set(record.number, state);
    }
    return changes;
  }
}

/** State of a record at a version; `unchanged` if only later versions changed it. */
function stateAt(
  { versions, reads }: ChangedRecord,
  version: number,
): Item | 'gone' | 'unchanged' | 'unknown' {
  const last = versions.findLast((one) => one.version <= version);
  if (!last) return 'unchanged';
  if (last.isRemoved) return 'gone';
  return reads.get(last.version) ?? 'unknown';
}

const nameOf = (collection: string, number: number) => `${collection}#${number}`;
