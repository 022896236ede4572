import { isDeepStrictEqual } from 'node:util';
import { notFound, type Failure } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { System } from '../../core/system.ts';
import { lateRecordWaits } from '../../core/waits.ts';
import { partsOf } from '../../core/parts-of.ts';
import type { Item } from './attributes.ts';
import type { Principal } from './principal.ts';
import {
  events,
  type Collection,
  type IdOf,
  type RecordOf,
  type RecordRef,
  type UniqueValue,
} from './collection.ts';
import { parseHead, stateIn, type Head } from './head.ts';
import { formerKey, headKey, nameOfKey, recordKey, type Key } from './keys.ts';
import { parseRecord, revisionOf } from './stored-record.ts';
import type { TableClient } from './table-client.ts';
import { parseTouchedRecords } from './touched-records.ts';
import { holderIn, keyOfValue } from './unique-values.ts';

/**
 * A record that a write reads. If there is no record, the write fails with `notFound` or `orElse`; with `mayBeAbsent`
 * the record is undefined. With `mayStayUnchanged`, the write may leave the record unchanged; the transaction then does
 * not check the record.
 */
export type RecordToRead<C extends Collection = Collection> =
  | RecordRef<C>
  | { ref: RecordRef<C>; orElse: () => Failure }
  | { ref: RecordRef<C>; mayBeAbsent: true; mayStayUnchanged?: true };

type RecordsToRead = Record<string, RecordToRead>;

/** A unique value. The write asks for the record that holds the value. */
export interface HolderLookup<C extends Collection = Collection> {
  collection: C;
  unique: UniqueValue;
}

/** The records that a write reads before it is built. The result has each record under the same name. */
export interface ReadSet {
  /** Records to change, read by plain reads. The transaction checks that no other write has changed them since. */
  change?: RecordsToRead;
  /**
   * Records that the write reads but does not change. A serializable read gets them together with the head or
   * after it, so the condition on the head's version covers them too.
   */
  check?: RecordsToRead;
  /** Unique values: the public id of the live record that holds each, or undefined. Read in the same way as `check`. */
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

/** The records and holders that a write has read, by name. */
export type RecordsOf<R extends ReadSet> = (R extends { change: infer C extends RecordsToRead }
  ? RecordsAt<C>
  : unknown) &
  (R extends { check: infer L extends RecordsToRead } ? RecordsAt<L> : unknown) &
  (R extends { holders: infer H extends Record<string, HolderLookup> }
    ? { [Name in keyof H]: HolderIn<H[Name]> }
    : unknown);

/** The keys that a serializable read must get for `check` and `holders`, without duplicates. */
function keysToCheck(organization: OrganizationCode, { check = {}, holders = {} }: ReadSet): Key[] {
  const keys = [
    ...Object.values(check).map((wanted) => keyOf(organization, refOf(wanted))),
    ...Object.values(holders).flatMap(
      ({ collection, unique }) => keyOfValue(organization, collection, unique) ?? [],
    ),
  ];
  return withoutDuplicates(keys);
}

const withoutDuplicates = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [nameOfKey(key), key])).values(),
];

const keyOf = (organization: OrganizationCode, { collection, number }: RecordRef): Key =>
  recordKey(organization, collection.name, number);

export const refOf = (wanted: RecordToRead): RecordRef => ('ref' in wanted ? wanted.ref : wanted);

/** The items that a write has read. */
export interface ReadItems {
  /** Items of `ReadSet.change`, in its order. */
  changes: readonly (Item | undefined)[];
  /** Items of `ReadSet.check` and `ReadSet.holders`, by `nameOfKey`. */
  checks: ReadonlyMap<string, Item>;
}

/**
 * Parses the items that were read. @throws Failure for the first required record that is missing, in the order of
 * `readSet`
 */
export function recordsAt<R extends ReadSet>(
  organization: OrganizationCode,
  readSet: R,
  { changes, checks }: ReadItems,
): RecordsOf<R> {
  const found: Record<string, unknown> = {};
  // The order of the read set decides which missing record fails the write.
  for (const part of Object.keys(readSet)) {
    if (part === 'change')
      for (const [at, [name, wanted]] of Object.entries(readSet.change ?? {}).entries())
        found[name] = recordIn(wanted, changes[at]);
    if (part === 'check')
      for (const [name, wanted] of Object.entries(readSet.check ?? {}))
        found[name] = recordIn(wanted, checks.get(nameOfKey(keyOf(organization, refOf(wanted)))));
    if (part === 'holders')
      for (const [name, { collection, unique }] of Object.entries(readSet.holders ?? {})) {
        const key = keyOfValue(organization, collection, unique);
        const claim = key && checks.get(nameOfKey(key));
        found[name] = claim && holderIn(claim);
      }
  }
  return recordsOf(readSet, found);
}

/** Gives found records the types that their read set asks for. The compiler does not relate a name to its record. */
function recordsOf<R extends ReadSet>(_: R, found: Record<string, unknown>): RecordsOf<R> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- `recordIn` parsed each by its collection
  return found as RecordsOf<R>;
}

function recordIn(wanted: RecordToRead, item: Item | undefined): unknown {
  const { collection } = refOf(wanted);
  if (item) return parseRecord(collection, item);
  if ('mayBeAbsent' in wanted) return undefined;
  throw 'orElse' in wanted ? wanted.orElse() : notFound(collection.label);
}

/** A head, and items of records at the head's version. */
export interface CachedState {
  head: Head;
  items: ReadonlyMap<string, Item>;
}

/** Head and items that a writer has read before it knows whether it may try. */
export interface PartialRead {
  head: Head;
  /** Undefined if not read yet, because the writer is not next in the queue. */
  changes: ReadItems['changes'] | undefined;
  /**
   * Undefined if not read yet: the writer is not next in the queue, or a transaction held one of the items.
   */
  checks: ReadItems['checks'] | undefined;
}

/** A question that a write has asked the head. */
export type Question = (head: Head) => number | boolean;

/** DynamoDB's limit on one serializable read. */
const maxKeys = 100;

/** Reads the head and the read set of one write. */
export class ReadSetReader {
  /** The members of `ReadSet.change`. */
  readonly toChange: readonly RecordToRead[];
  readonly #checked: readonly Key[];
  /** Items that plain reads have found since the last build began, by `nameOfKey`. */
  readonly #plain = new Map<string, { key: Key; item: Item | undefined }>();
  /** Head that a serializable read has found last. */
  #settledHead: Head | undefined;
  readonly #table: TableClient;
  readonly #system: System;
  readonly #principal: Principal;

  constructor(table: TableClient, system: System, principal: Principal, reading: ReadSet) {
    this.#table = table;
    this.#system = system;
    this.#principal = principal;
    this.toChange = Object.values(reading.change ?? {});
    this.#checked = keysToCheck(principal.organization, reading);
  }

  /**
   * Reads everything that `known` does not have, at once. One serializable read gets the head and the records to check.
   * If a transaction holds one of these items, the records are read later, when the writer is next in the queue.
   */
  async first(known: CachedState | undefined): Promise<PartialRead> {
    const keys = this.#checked;
    if (keys.length === 0) {
      const [head, changes] = await Promise.all([known?.head ?? this.#head(), this.#changes(known)]);
      return { head, changes, checks: new Map() };
    }
    const atHead = known === undefined ? [headKey(this.#principal.organization)] : [];
    const [snapshot, changes] = await Promise.all([
      this.#table.snapshot([...atHead, ...keys]),
      this.#changes(known),
    ]);
    if (snapshot && !known) this.#settledHead = parseHead(snapshot[0]);
    const head = known?.head ?? this.#settledHead ?? (await this.#head());
    return { head, changes, checks: snapshot && byName(keys, snapshot.slice(atHead.length)) };
  }

  /**
   * Reads the head again, unless it is known. With `withChanges`, also reads the records to change at the same time.
   */
  async again(known: Head | undefined, { withChanges }: { withChanges: boolean }): Promise<PartialRead> {
    const [head, changes] = await Promise.all([
      known ?? this.#head(),
      withChanges ? this.#changes(undefined) : undefined,
    ]);
    return { head, changes, checks: undefined };
  }

  /** Completes a partial read, once the writer is next in the queue. */
  async complete({ head, ...seen }: PartialRead): Promise<ReadItems> {
    const keys = this.#checked;
    this.#plain.clear();
    const [checks, changes] = await Promise.all([
      seen.checks ?? (keys.length === 0 ? new Map<string, Item>() : this.snapshot(keys)),
      seen.changes ?? this.#changes(undefined),
    ]);
    return {
      checks,
      changes: await Promise.all(
        this.toChange.map((one, at) => this.#upToDate(refOf(one), changes[at], head, 'mayBeAbsent' in one)),
      ),
    };
  }

  /** Reads the item of a record while a write is built. */
  async item(ref: RecordRef, head: Head): Promise<Item | undefined> {
    return this.#upToDate(ref, await this.#table.get(keyOf(this.#principal.organization, ref)), head, true);
  }

  /**
   * True if the records still match what the build read. If a build ends without a transaction, nobody has checked its
   * reads. The build may have read items that an earlier write had not reached yet. Each item must still be equal to
   * the item that plain reads found. A settled head must give the same answers to the questions of the build. One
   * serializable read for each hundred items, once no transaction holds any of them.
   */
  async isConfirmed(seen: Head, questions: readonly Question[]): Promise<boolean> {
    const plain = [...this.#plain.values()];
    const isHeadPlain = questions.length > 0 && seen.version !== this.#settledHead?.version;
    const atHead = isHeadPlain ? [headKey(this.#principal.organization)] : [];
    const keys = [...atHead, ...plain.map(({ key }) => key)];
    if (keys.length === 0) return true;
    const items = await this.snapshot(keys);
    for (const key of atHead) this.#settledHead = parseHead(items.get(nameOfKey(key)));
    const settled = this.#settledHead;
    return (
      (!settled || questions.every((question) => question(settled) === question(seen))) &&
      plain.every(({ key, item }) => isDeepStrictEqual(items.get(nameOfKey(key)), item))
    );
  }

  /** Head that a serializable read has found since, if that head is newer than this head. */
  newerHead({ version }: Head): Head | undefined {
    return this.#settledHead && this.#settledHead.version > version ? this.#settledHead : undefined;
  }

  /**
   * Reads the former item of a record. If a plain read finds no former item, a serializable read decides: the
   * transaction that removes the record may be under way.
   */
  async former({ collection, number }: RecordRef): Promise<Item | undefined> {
    const key = formerKey(this.#principal.organization, collection.name, number);
    return (await this.#table.get(key)) ?? (await this.snapshot([key])).get(nameOfKey(key));
  }

  /**
   * Waits until no transaction holds a record that the write up to this version removed. The write is then applied to
   * all of these records. Two round trips.
   */
  async settleRemovals(version: number): Promise<void> {
    const keyAt = (collection: string, number: number) =>
      recordKey(this.#principal.organization, collection, number);
    const [event] = await this.#table.settledSnapshot([keyAt(events.name, version)]);
    const touched = parseTouchedRecords(String(event?.['touched'])) ?? [];
    const removed = touched.filter(({ isRemoved }) => isRemoved);
    await this.#table.settledMany(removed.map(({ collection, number }) => keyAt(collection, number)));
  }

  /**
   * Reads items by plain reads: see `keysToRead` in `compile.ts`. The transaction checks that no other write has changed
   * them since.
   */
  async items(keys: readonly Key[]): Promise<ReadonlyMap<string, Item>> {
    const items = await Promise.all(keys.map((key) => this.#table.get(key)));
    const found = new Map<string, Item>();
    for (const [at, key] of keys.entries()) {
      const [name, item] = [nameOfKey(key), items[at]];
      this.#plain.set(name, { key, item });
      if (item) found.set(name, item);
    }
    return found;
  }

  #changes(known: CachedState | undefined): Promise<ReadItems['changes']> {
    return Promise.all(
      this.toChange.map(async (wanted) => {
        const key = keyOf(this.#principal.organization, refOf(wanted));
        return known?.items.get(nameOfKey(key)) ?? (await this.#table.get(key));
      }),
    );
  }

  async #head(): Promise<Head> {
    return parseHead(await this.#table.get(headKey(this.#principal.organization)));
  }

  /**
   * Any number of items, by `nameOfKey`. One serializable read for each hundred items, retried while transactions hold
   * them. Each item is at least as new as the head.
   */
  async snapshot(keys: readonly Key[]): Promise<ReadItems['checks']> {
    const each = withoutDuplicates(keys);
    const parts = partsOf(each, maxKeys).map((some) => this.#table.settledSnapshot(some));
    return byName(each, (await Promise.all(parts)).flat());
  }

  /**
   * The current item of a record. `item`: the item that a plain read found. Reads the item again while the head has a
   * newer revision of the record: a transaction on the older item would be refused. If there is no item although the
   * head counts the record, and the record `mayBeAbsent`, a serializable read decides. The record was deleted, or the
   * transaction that adds it is under way.
   */
  async #upToDate(
    ref: RecordRef,
    item: Item | undefined,
    head: Head,
    mayBeAbsent: boolean,
  ): Promise<Item | undefined> {
    const { name } = ref.collection;
    const newest = head.revisions?.[name] ?? 0;
    const key = keyOf(this.#principal.organization, ref);
    let found = item;
    for (const pause of lateRecordWaits) {
      if ((found ? revisionOf(found) : 0) >= newest) break;
      if (pause > 0) await this.#system.sleep(pause);
      found = await this.#table.get(key);
    }
    const isCounted = ref.number <= stateIn(head, { collection: name }).last;
    if (!found && mayBeAbsent && isCounted) found = (await this.snapshot([key])).get(nameOfKey(key));
    this.#plain.set(nameOfKey(key), { key, item: found });
    return found;
  }
}

/** The items that exist, by `nameOfKey`. */
const byName = (keys: readonly Key[], items: readonly (Item | undefined)[]): Map<string, Item> =>
  new Map(
    keys.flatMap((key, at) => {
      const item = items[at];
      return item ? [[nameOfKey(key), item] as const] : [];
    }),
  );
