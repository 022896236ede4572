import * as v from 'valibot';
import type { IdPrefix } from '../../core/ids.ts';
import type { ViewIndex } from './keys.ts';

type RecordSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** A kind of record of an organization. */
export interface Collection<S extends RecordSchema = RecordSchema> {
  /** Its name in keys. */
  readonly name: string;
  /** Its name in sentences. */
  readonly label: string;
  /** The prefix of its records' ids; a collection without one has integer ids: the records' numbers. */
  readonly prefix?: IdPrefix;
  /** Parses every read, and leaves out what only the ledger needs. */
  readonly schema: S;
  /** The values of a record that no other live record may have. The ledger claims, moves and releases them. */
  uniques?(record: v.InferOutput<S>): readonly UniqueValue[];
  /** How long the lists are that belong to a record. */
  lists?(record: v.InferOutput<S>): readonly OwnedList[];
}

export type RecordOf<C extends Collection> = v.InferOutput<C['schema']>;

/** A value that at most one live record of a collection has, without regard to case. An empty one is none. */
export interface UniqueValue {
  field: string;
  value: string;
  /** The record that both belong to, where the value may be had once in each. */
  within?: RecordRef;
}

/** A list of records that belong to one record: the view, and its length, which is kept in that record. */
export interface OwnedList {
  /** The collection of the list's members, by its name. */
  of: string;
  index: ViewIndex;
  filter?: string;
  length: number;
}

/** Where one record is. */
export interface RecordRef<C extends Collection = Collection> {
  readonly collection: C;
  readonly number: number;
}

/** Everything that happened in an organization, numbered from 1 without a gap, in the order it was stored. */
export const events = {
  name: 'EVENT',
  label: 'event',
  schema: v.object({
    id: v.pipe(v.number(), v.integer(), v.minValue(1)),
    /** What happened, such as LEAD_CREATED. */
    event: v.string(),
    /** A sentence a person can read. It tells no one's data: events outlive the records they are about. */
    data: v.string(),
    /** The id of the record it is about. */
    referenceId: v.string(),
    /** The user whose token did it. */
    userId: v.string(),
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type LedgerEvent = RecordOf<typeof events>;
