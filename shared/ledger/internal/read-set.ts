import type { Failure } from '../../core/failure.ts';
import { notFound } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, RecordRef, UniqueValue } from './collection.ts';
import { nameOfKey, recordKey, type Key } from './keys.ts';
import { parseRecord } from './stored-record.ts';
import { holderIn, keyOfValue } from './unique-values.ts';

/**
 * A record that a write reads. If there is none, the write fails with `notFound` or `orElse`; with
 * `mayBeAbsent` the record is undefined. With `mayStayUnchanged`, the write may leave it unchanged; the
 * transaction then does not check it.
 */
export type RecordToRead<C extends Collection = Collection> =
  | RecordRef<C>
  | { ref: RecordRef<C>; orElse: () => Failure }
  | { ref: RecordRef<C>; mayBeAbsent: true; mayStayUnchanged?: true };

type RecordsToRead = Record<string, RecordToRead>;

/** A unique value of which the write asks for the holder. */
export interface HolderLookup<C extends Collection = Collection> {
  collection: C;
  unique: UniqueValue;
}

/** The records that a write reads before it is built. The result has each under its name here. */
export interface ReadSet {
  /** Records to change, read by plain reads. The transaction checks that each is as it was read. */
  change?: RecordsToRead;
  /**
   * Records that the write reads but does not change. A serializable read gets them together with the head or
   * after it, so the condition on the head's version covers them too.
   */
  check?: RecordsToRead;
  /** Unique values: the public id of the live record that holds each, or undefined. Read as `check` is. */
  holders?: Record<string, HolderLookup>;
}

type RecordIn<W> = W extends { ref: RecordRef<infer C extends Collection>; mayBeAbsent: true }
  ? RecordOf<C> | undefined
  : W extends { ref: RecordRef<infer C extends Collection> }
    ? RecordOf<C>
    : W extends RecordRef<infer C extends Collection>
      ? RecordOf<C>
      : never;

type RecordsAt<P extends RecordsToRead> = { [Name in keyof P]: RecordIn<P[Name]> };

type HolderIn<H> = H extends { collection: infer C extends Collection } ? IdOf<C> | undefined : never;

export type IdOf<C extends Collection> =
  RecordOf<C> extends { id: infer Id extends string | number } ? Id : string | number;

/** The records and holders that a write has read, by name. */
export type RecordsOf<R extends ReadSet> = (R extends { change: infer C extends RecordsToRead }
  ? RecordsAt<C>
  : unknown) &
  (R extends { check: infer L extends RecordsToRead } ? RecordsAt<L> : unknown) &
  (R extends { holders: infer H extends Record<string, HolderLookup> }
    ? { [Name in keyof H]: HolderIn<H[Name]> }
    : unknown);

/** A member of `ReadSet.change`. */
export interface RefToChange {
  ref: RecordRef;
  mayBeAbsent: boolean;
  mayStayUnchanged: boolean;
}

export const refsToChange = ({ change = {} }: ReadSet): RefToChange[] =>
  Object.values(change).map((wanted) => ({
    ref: refOf(wanted),
    mayBeAbsent: 'mayBeAbsent' in wanted,
    mayStayUnchanged: 'mayStayUnchanged' in wanted,
  }));

/** The keys that a serializable read takes for `check` and `holders`, without duplicates, by `nameOfKey`. */
export function keysToCheck(
  organization: OrganizationCode,
  { check = {}, holders = {} }: ReadSet,
): ReadonlyMap<string, Key> {
  const keys = [
    ...Object.values(check).map((wanted) => keyOf(organization, refOf(wanted))),
    ...Object.values(holders).flatMap(
      ({ collection, unique }) => keyOfValue(organization, collection, unique) ?? [],
    ),
  ];
  return new Map(keys.map((key) => [nameOfKey(key), key]));
}

const keyOf = (organization: OrganizationCode, { collection, number }: RecordRef): Key =>
  recordKey(organization, collection.name, number);

const refOf = (wanted: RecordToRead): RecordRef => ('ref' in wanted ? wanted.ref : wanted);

/** The items that a write has read. */
export interface ReadItems {
  /** Items of `ReadSet.change`, in its order. */
  changes: readonly (Item | undefined)[];
  /** Items of `ReadSet.check` and `ReadSet.holders`, by `nameOfKey`. */
  checks: ReadonlyMap<string, Item>;
}

/**
 * Parses what was read. @throws Failure for the first required record that is missing, in the order of
 * `readSet`
 */
export function recordsAt<R extends ReadSet>(
  organization: OrganizationCode,
  readSet: R,
  items: ReadItems,
): RecordsOf<R>;
export function recordsAt(
  organization: OrganizationCode,
  readSet: ReadSet,
  { changes, checks }: ReadItems,
): unknown {
  const checked = (key: Key) => checks.get(nameOfKey(key));
  const parts = {
    change: () => named(readSet.change, (wanted, at) => recordIn(wanted, changes[at])),
    check: () =>
      named(readSet.check, (wanted) => recordIn(wanted, checked(keyOf(organization, refOf(wanted))))),
    holders: () =>
      named(readSet.holders, ({ collection, unique }) => {
        const key = keyOfValue(organization, collection, unique);
        const claim = key && checked(key);
        return claim && holderIn(claim);
      }),
  };
  // The order of the read set decides which missing record fails the write.
  const names = Object.keys(readSet).filter(
    (name) => name === 'change' || name === 'check' || name === 'holders',
  );
  return Object.fromEntries(names.flatMap((name) => parts[name]()));
}

const named = <W>(wanted: Record<string, W> = {}, valueOf: (one: W, at: number) => unknown) =>
  Object.entries(wanted).map(([name, one], at) => [name, valueOf(one, at)] as const);

function recordIn(wanted: RecordToRead, item: Item | undefined): unknown {
  const { collection } = refOf(wanted);
  if (item) return parseRecord(collection, item);
  if ('mayBeAbsent' in wanted) return undefined;
  throw 'orElse' in wanted ? wanted.orElse() : notFound(collection.label);
}
