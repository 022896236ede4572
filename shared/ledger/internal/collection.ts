import * as v from 'valibot';
import type { IdPrefix } from '../../core/ids.ts';

type RecordSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** A kind of record of an organization. */
export interface Collection<S extends RecordSchema = RecordSchema> {
  /** Its name in keys. */
  readonly name: string;
  /** Its name in messages. */
  readonly label: string;
  /** The prefix of its records' ids; a collection without one has integer ids: the records' numbers. */
  readonly prefix?: IdPrefix;
  /** Parses every read, and leaves out what only the ledger needs. */
  readonly schema: S;
  /** The values that no other live record may have. The ledger claims, moves and releases them. */
  uniques?(record: v.InferOutput<S>): readonly UniqueValue[];
  /**
   * The kinds of lists that its records can be in, besides the list of all: at most five. Each is stored in
   * the index of its position, so add new ones at the end only.
   */
  readonly lists?: Readonly<Record<string, ListKind<v.InferOutput<S>>>>;
  /**
   * The index (0 to 4) of its records' event lists; none if they have no such lists. An event can be in one
   * list per index.
   */
  readonly eventListIndex?: 0 | 1 | 2 | 3 | 4;
  /**
   * Texts by whose beginning its records are found, case and accents aside: at most three. Each is in the text
   * index of its position, so add new ones at the end only. A record is not found by a text that is empty.
   */
  readonly searchables?: Readonly<Record<string, Searchable<v.InferOutput<S>>['of']>>;
  /**
   * It is one record, number 1, which many writes change, one soon after the other. The head has its revision, so that a
   * writer sees when it read the record before the last change was there, and reads it again.
   */
  readonly hasHotRecord?: true;
  /** Which worker a record is due for, and when. The ledger puts it into the index of due records. */
  due?(record: v.InferOutput<S>): Due | undefined;
}

/** TypeScript lets a method, unlike a property, take the records of one kind alone. */
interface Searchable<Record> {
  of(record: Record): string;
}

export type RecordOf<C extends Collection> = v.InferOutput<C['schema']>;

/** A value that at most one live record of a collection has. `""` is no value. */
export interface UniqueValue {
  field: string;
  value: string;
  /** Compared as it is, such as an id in another system; otherwise ignoring case. */
  isExact?: true;
  /** The record within which the value is unique; none: within the organization. */
  within?: RecordRef;
}

/** A kind of list. The ledger assigns ranks, keeps the list's length, and notes who left. */
export interface ListKind<Record = unknown> {
  /** The list that a record belongs to; undefined for none. A changed record may move to another. */
  of(record: Record): Membership | undefined;
  /**
   * For any number of names, such as tags: each list's state is an item of its own, to keep the head small. A
   * write that changes such a list takes one more round trip.
   */
  readonly hasManyNames?: true;
}

/** One list of a collection's records, as a domain names it. */
export interface Membership {
  /** The name that its members share, such as a status. None: they share the owner alone. */
  name?: string;
  /**
   * The record that owns the list. A write that changes the list must have read it to change, or appended it,
   * unless the kind has many names.
   */
  owner?: { collection: Collection; id: string | number };
}

/** When a record is due for a worker. */
export interface Due {
  /** The worker's name. */
  worker: string;
  /** ISO 8601, UTC, milliseconds. */
  at: string;
}

/** One record: its collection and its number there. */
export interface RecordRef<C extends Collection = Collection> {
  readonly collection: C;
  readonly number: number;
}

/** The name of a kind of list that a collection has. */
export type ListKindName<C extends Collection> = keyof NonNullable<C['lists']> & string;

/** Everything that happened in an organization, numbered from 1 without a gap, in the order it was stored. */
export const events = {
  name: 'EVENT',
  label: 'event',
  schema: v.object({
    id: v.pipe(v.number(), v.integer(), v.minValue(1)),
    /** What happened, such as LEAD_CREATED. */
    event: v.string(),
    /** A sentence for people, without personal data: events outlive records. */
    data: v.string(),
    /** The id of the record it is about. */
    referenceId: v.string(),
    /** The user whose token did it. */
    userId: v.string(),
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type LedgerEvent = RecordOf<typeof events>;
