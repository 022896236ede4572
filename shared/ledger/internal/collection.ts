import * as v from 'valibot';
import type { IdPrefix } from '../../core/ids.ts';

type RecordSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** A kind of record of an organization, such as leads. */
export interface Collection<S extends RecordSchema = RecordSchema> {
  /** Name in keys. */
  readonly name: string;
  /** Name in messages. */
  readonly label: string;
  /** Prefix of the public ids. Without one, a record's id is its number. */
  readonly prefix?: IdPrefix;
  /** Parses every read, and drops the attributes of the ledger. */
  readonly schema: S;
  /** Values that no other live record may have. The ledger claims, moves and releases them. */
  uniques?(record: v.InferOutput<S>): readonly UniqueValue[];
  /**
   * Kinds of lists that the records can be in besides the list of all, at most five. Each kind is stored in the list
   * index of its position, so add new kinds at the end.
   */
  readonly lists?: Readonly<Record<string, ListKind<v.InferOutput<S>>>>;
  /**
   * Position (0 to 4) of the list index with the records' event lists. Without a position, the records have no event
   * lists. An event can be in one list per index.
   */
  readonly eventListIndex?: 0 | 1 | 2 | 3 | 4;
  /**
   * Fields that `LedgerReader.findBetween` finds ranges of, at most three. Each field is stored in the search
   * index of its position, so add new fields at the end. A record is not found by an empty field.
   */
  readonly searchables?: Readonly<Record<string, Searchable<v.InferOutput<S>>['of']>>;
  /**
   * The collection is one record, number 1, which many writes change in quick succession. The head has the record's
   * revision: a writer that read an older revision reads the record again, instead of sending a transaction in vain.
   */
  readonly hasHotRecord?: true;
  /**
   * The records belong to the configuration. The head has the version of the last write that changed such a record.
   * This version tells whether a prepared text is current: see `LedgerReader.prepared`.
   */
  readonly isConfiguration?: true;
  /**
   * True if the head names the number of this record. The table's stream then shows which organizations have such
   * records: see `named` in docs/data-model.md, Head. At most some twenty records of a collection, because every write
   * stores the head.
   */
  isNamedInHead?(record: v.InferOutput<S>): boolean;
  /**
   * The record that shows this record as a part of itself. A write that stores or removes this record also names the
   * other record in its last event: see `shown` in docs/data-model.md, Events.
   */
  shownIn?(record: v.InferOutput<S>): ShownIn | undefined;
  /** The worker that a record is due for, and when. The ledger adds the record to the due index. */
  due?(record: v.InferOutput<S>): Due | undefined;
  /**
   * The members' time that a record takes; undefined for none. The ledger keeps the bookings of each day: see "What is
   * booked" in docs/data-model.md. Only one collection can have bookings, because a day names records by their numbers
   * alone.
   */
  booked?(record: v.InferOutput<S>): Booking | undefined;
}

/** Declared as a method, because TypeScript then accepts a function for one kind of record. */
interface Searchable<Record> {
  of(record: Record): string;
}

export type RecordOf<C extends Collection> = v.InferOutput<C['schema']>;

/** Type of a collection's public ids. */
export type IdOf<C extends Collection> =
  RecordOf<C> extends { id: infer Id extends string | number } ? Id : string | number;

/** A value that at most one live record of a collection has. `""` is no value. */
export interface UniqueValue {
  field: string;
  /** Name of the value in the message of a conflict, if the value is more than the field. */
  named?: string;
  value: string;
  /** True if the value is compared exactly, such as an id of another system. Otherwise case is ignored. */
  isExact?: true;
  /** True for a name that people type. Then the kind of an apostrophe, a dash or a space is ignored, too. */
  isName?: true;
  /**
   * True for a text that `LedgerReader.valuesBeginning` finds. Accents are ignored, too. The value ends with the record's
   * number, so that no other record can have it.
   */
  isSearched?: true;
  /** The record within which the value is unique. Without it, the value is unique in the organization. */
  within?: RecordRef;
}

/** A kind of list. The ledger gives out ranks, counts members, and stores holes. */
export interface ListKind<Record = unknown> {
  /** The list that a record belongs to; undefined for none. A changed record may move to another list. */
  of(record: Record): Membership | undefined;
  /**
   * True if the lists can have any number of names, such as tags. Each list then has a state item, which keeps the head
   * small. A write that changes such a list takes one more round trip.
   */
  readonly hasManyNames?: true;
}

/** A list of a collection's records, as a domain names it. */
export interface Membership {
  /** Name that the members share, such as a status. Without it, they share the owner only. */
  name?: string;
  /**
   * The record that owns the list. A write that changes the list must have appended the owner, or read the owner to
   * change it, unless the kind has many names.
   */
  owner?: { collection: Collection; id: string | number };
}

/**
 * A record by its public id. The collection is given by its name and prefix: subjects may not import each other in a
 * circle.
 */
export interface ShownIn {
  collection: Pick<Collection, 'name' | 'prefix'>;
  id: string | number;
}

export interface Due {
  /** Name of the worker. */
  worker: string;
  /** ISO 8601, UTC, milliseconds. */
  at: string;
}

/** Members' time that a record takes. `start` and `end`: ISO 8601, UTC, whole minutes. */
export interface Booking {
  start: string;
  end: string;
  /** Minutes before `start` that are taken, too. */
  bufferBefore: number;
  /** Minutes after `end` that are taken, too. */
  bufferAfter: number;
  /** Numbers of the members. */
  members: readonly number[];
}

/** A record's key: its collection, and its number there. */
export interface RecordRef<C extends Collection = Collection> {
  readonly collection: C;
  readonly number: number;
}

export type ListKindName<C extends Collection> = keyof NonNullable<C['lists']> & string;
export type SearchableName<C extends Collection> = keyof NonNullable<C['searchables']> & string;

/** All events of an organization, numbered from 1 without a gap, in the order of the writes. */
export const events = {
  name: 'EVENT',
  label: 'event',
  schema: v.object({
    id: v.pipe(v.number(), v.integer(), v.minValue(1)),
    /** Kind of event, such as LEAD_CREATED. */
    event: v.string(),
    /** Sentence for people, without personal data: events outlive records. */
    data: v.string(),
    /** The old and the new value that the sentence names, if it names any. Neither is personal data. */
    values: v.exactOptional(v.object({ from: v.string(), to: v.string() })),
    /** Names of the fields that the event changed in its record, as the API shows them; absent if it is no change. */
    fields: v.exactOptional(v.array(v.string())),
    /** Public id of the record that the event is about. */
    referenceId: v.string(),
    /** The user that the token of the request acts for. */
    userId: v.string(),
    /** Number of that token, and the id of the request. Absent for a worker and an operator's command. */
    tokenId: v.exactOptional(v.number()),
    requestId: v.exactOptional(v.string()),
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type LedgerEvent = RecordOf<typeof events>;
