import type { Failure } from '../../core/failure.ts';
import { notFound } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, RecordRef, UniqueValue } from './collection.ts';
import { nameOfKey, recordKey, type Key } from './keys.ts';
import { parseRecord } from './stored-record.ts';
import { holderIn, keysOfValue } from './unique-values.ts';

/**
 * A record that a write reads. If it is missing, the write fails as `notFound` or `orElse`; with
 * `mayBeAbsent` it is undefined. With `mayStayUnchanged`, a write that reads it to change may leave it as it is; then nothing
 * of it is proved.
 */
export type RecordToRead<C extends Collection = Collection> =
  | RecordRef<C>
  | { ref: RecordRef<C>; orElse: () => Failure }
  | { ref: RecordRef<C>; mayBeAbsent: true; mayStayUnchanged?: true };

type RecordsToRead = Record<string, RecordToRead>;

/** A unique value of a collection, whose holder is asked for. */
export interface HolderLookup<C extends Collection = Collection> {
  collection: C;
  unique: UniqueValue;
}

/** The records that a write reads. */
export interface ReadSet {
  /** Records to change. The transaction checks that each is as it was read. */
  change?: RecordsToRead;
  /**
   * Records only to check. Read by a serializable read with or after the head, so that the head's version
   * vouches for them.
   */
  check?: RecordsToRead;
  /** Unique values: the id of the live record that has each, or undefined. Read as `check` is, and vouched for alike. */
  holders?: Record<string, HolderLookup>;
}

type RecordIn<W> = W extends { ref: RecordRef<infer C extends Collection>; mayBeAbsent: true }
  ? RecordOf<C> | undefined
  : W extends { ref: RecordRef<infer C extends Collection> }
    ? RecordOf<C>
    : W extends RecordRef<infer C extends Collection>
      ? RecordOf<C>
      : never;

/** The records at some refs: undefined where one may be absent, or was not asked for. */
type RecordsAt<P extends RecordsToRead> = { [Name in keyof P]: RecordIn<P[Name]> };

type HolderIn<H> = H extends { collection: infer C extends Collection } ? IdOf<C> | undefined : never;
/** The type of a collection's public ids. */
export type IdOf<C extends Collection> =
  RecordOf<C> extends { id: infer Id extends string | number } ? Id : string | number;

/** All that a write reads, by name. */
export type RecordsOf<R extends ReadSet> = (R extends { change: infer C extends RecordsToRead }
  ? RecordsAt<C>
  : unknown) &
  (R extends { check: infer L extends RecordsToRead } ? RecordsAt<L> : unknown) &
  (R extends { holders: infer H extends Record<string, HolderLookup> }
    ? { [Name in keyof H]: HolderIn<H[Name]> }
    : unknown);

/** A record that a write reads to change. */
export interface RefToChange {
  ref: RecordRef;
  mayBeAbsent: boolean;
  mayStayUnchanged: boolean;
}

/** The records that a write reads to change. */
export const refsToChange = ({ change = {} }: ReadSet): RefToChange[] =>
  Object.values(change).map((wanted) => ({
    ref: refOf(wanted),
    mayBeAbsent: 'mayBeAbsent' in wanted,
    mayStayUnchanged: 'mayStayUnchanged' in wanted,
  }));

/** The keys of all that a write reads only to check, each once, as a serializable read takes them. */
export function keysToCheck(
  organization: OrganizationCode,
  { check = {}, holders = {} }: ReadSet,
): ReadonlyMap<string, Key> {
  const keys = [
    ...Object.values(check).map((wanted) => keyOf(organization, refOf(wanted))),
    ...Object.values(holders).flatMap(({ collection, unique }) =>
      keysOfValue(organization, collection, unique),
    ),
  ];
  return new Map(keys.map((key) => [nameOfKey(key), key]));
}

const keyOf = (organization: OrganizationCode, { collection, number }: RecordRef): Key =>
  recordKey(organization, collection.name, number);

const refOf = (wanted: RecordToRead): RecordRef => ('ref' in wanted ? wanted.ref : wanted);

/** The items that a write read: those to change in their order, those to check by the names of their keys. */
export interface ReadItems {
  changes: readonly (Item | undefined)[];
  checks: ReadonlyMap<string, Item>;
}

/** What was read, by name. @throws Failure for the first required record that is missing */
export function recordsAt<R extends ReadSet>(
  organization: OrganizationCode,
  reading: R,
  items: ReadItems,
): RecordsOf<R>;
export function recordsAt(
  organization: OrganizationCode,
  reading: ReadSet,
  { changes, checks }: ReadItems,
): unknown {
  const checked = (key: Key) => checks.get(nameOfKey(key));
  const parts = {
    change: () => named(reading.change, (wanted, at) => recordIn(wanted, changes[at])),
    check: () =>
      named(reading.check, (wanted) => recordIn(wanted, checked(keyOf(organization, refOf(wanted))))),
    holders: () =>
      named(reading.holders, ({ collection, unique }) => {
        const claim = keysOfValue(organization, collection, unique).map(checked).find(Boolean);
        return claim && holderIn(claim);
      }),
  };
  // In the reading's order, so that the first that is missing is what fails it.
  const names = Object.keys(reading).filter(
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
