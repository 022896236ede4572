import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Touched } from '../../../shared/ledger/internal/touched.ts';

/** A record that was changed of late. */
interface ChangedRecord {
  collection: string;
  number: number;
  /** The versions that changed it, oldest first. */
  versions: { version: number; isRemoved: boolean }[];
  /** As it was read, by its revision: each is what it was from that version until the next. */
  readonly seen: Map<number, Item>;
}

/** A record, by its collection's name. */
export type NamedRecord = Pick<ChangedRecord, 'collection' | 'number'>;

/**
 * Which records changed at which version, as the events say, and what was read of them. Records show for themselves of which
 * version they are, so the order in which they are read does not matter: what one was at a version is known once it was seen
 * with the revision that the last event up to there gave it.
 */
export class KnownChanges {
  readonly #records = new Map<string, ChangedRecord>();

  /** Notes what the write that made this version touched. Versions are noted in their order. */
  note(version: number, touched: readonly Touched[]): void {
    for (const { collection, number, isRemoved } of touched) {
      const name = nameOf(collection, number);
      const known: ChangedRecord = this.#records.get(name) ?? {
        ...{ collection, number, versions: [], seen: new Map() },
      };
      this.#records.set(name, known);
      known.versions.push({ version, isRemoved });
    }
  }

  /** Notes a record as it was read. */
  noteSeen({ collection, number }: NamedRecord, revision: number, item: Item): void {
    this.#records.get(nameOf(collection, number))?.seen.set(revision, item);
  }

  /** The records of which it is not known what they were at a version. */
  unknownAt(version: number): NamedRecord[] {
    return [...this.#records.values()].filter((record) => stateAt(record, version) === 'unknown');
  }

  /** What became of the records of a collection up to a version, by number: the item, or `gone`. All must be known. */
  changesAt(name: string, version: number): Map<number, Item | 'gone'> {
    const changes = new Map<number, Item | 'gone'>();
    for (const record of this.#records.values()) {
      const state = record.collection === name ? stateAt(record, version) : 'unchanged';
      if (state !== 'unchanged' && state !== 'unknown') changes.set(record.number, state);
    }
    return changes;
  }
}

/** What a record was at a version; `unchanged` where only later ones changed it. */
function stateAt(
  { versions, seen }: ChangedRecord,
  version: number,
): Item | 'gone' | 'unchanged' | 'unknown' {
  const last = versions.findLast((one) => one.version <= version);
  if (!last) return 'unchanged';
  if (last.isRemoved) return 'gone';
  return seen.get(last.version) ?? 'unknown';
}

const nameOf = (collection: string, number: number) => `${collection}#${number}`;
