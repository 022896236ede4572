import type { Failure } from '../../core/failure.ts';
import { notFound } from '../../core/failure.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, RecordRef } from './collection.ts';
import { parseRecord } from './stored-record.ts';

/**
 * A record that a write reads. If it is missing, the write fails as `notFound` or `orElse`; with
 * `mayBeAbsent` it is undefined.
 */
export type Wanted<C extends Collection = Collection> =
  RecordRef<C> | { ref: RecordRef<C>; orElse: () => Failure } | { ref: RecordRef<C>; mayBeAbsent: true };

type AllWanted = Record<string, Wanted>;

/** The records that a write reads. */
export interface Reading {
  /** Records to change. The transaction checks that each is as it was read. */
  change?: AllWanted;
  /**
   * Records only to check. Read by a serializable read with or after the head, so that the head's version
   * vouches for them.
   */
  check?: AllWanted;
}

type RecordIn<W> = W extends { ref: RecordRef<infer C extends Collection>; mayBeAbsent: true }
  ? RecordOf<C> | undefined
  : W extends { ref: RecordRef<infer C extends Collection> }
    ? RecordOf<C>
    : W extends RecordRef<infer C extends Collection>
      ? RecordOf<C>
      : never;

/** The records at some refs: undefined where one may be absent, or was not asked for. */
type RecordsAt<P extends AllWanted> = { [Name in keyof P]: RecordIn<P[Name]> };

/** All that a write reads, by name. */
export type RecordsOf<R extends Reading> = (R extends { change: infer C extends AllWanted }
  ? RecordsAt<C>
  : unknown) &
  (R extends { check: infer L extends AllWanted } ? RecordsAt<L> : unknown);

/** The refs of what is wanted. */
export const refsOf = (wanted: AllWanted = {}): RecordRef[] => Object.values(wanted).map(refOf);

const refOf = (wanted: Wanted): RecordRef => ('ref' in wanted ? wanted.ref : wanted);

/** The records that were read, by name. @throws Failure for the first required one that is missing */
export function recordsAt<R extends Reading>(
  reading: R,
  changes: readonly (Item | undefined)[],
  checks: readonly (Item | undefined)[],
): RecordsOf<R>;
export function recordsAt(
  reading: Reading,
  change: readonly (Item | undefined)[],
  check: readonly (Item | undefined)[],
): unknown {
  const items = { change, check };
  const parts = Object.keys(reading).filter((part) => part === 'change' || part === 'check');
  return Object.fromEntries(
    parts.flatMap((part) =>
      Object.entries(reading[part] ?? {}).map(([name, wanted], at) => [
        name,
        recordIn(wanted, items[part][at]),
      ]),
    ),
  );
}

function recordIn(wanted: Wanted, item: Item | undefined): unknown {
  const { collection } = refOf(wanted);
  if (item) return parseRecord(collection, item);
  if ('mayBeAbsent' in wanted) return undefined;
  throw 'orElse' in wanted ? wanted.orElse() : notFound(collection.label);
}
