import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { refuseAny, type FieldProblem } from '../../contract/errors.ts';
import type { IdPrefix } from '../../contract/fields.ts';
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

/**
 * A record after changes: what they leave out, or leave undefined, stays. `doubts` are problems of values that may stay where the
 * record has them. @throws Failure `invalid` with those of the doubts that are about a value that changes.
 */
export function merge<R extends object>(
  record: R,
  changes: { [Field in keyof R]?: R[Field] | undefined },
  doubts: readonly FieldProblem[] = [],
): R {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after: Record<string, unknown> = Object.fromEntries(given);
  refuseAny(doubts.filter(({ field }) => !isDeepStrictEqual(valueAt(record, field), valueAt(after, field))));
  return { ...record, ...Object.fromEntries(given) };
}

/** The value at a dotted path. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce((part: unknown, name) => new Map<string, unknown>(Object.entries(part ?? {})).get(name), value);

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
