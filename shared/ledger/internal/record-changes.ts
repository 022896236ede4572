import * as v from 'valibot';
import type { Item } from './attributes.ts';
import { changedDays } from './booked.ts';
import {
  events,
  type Booking,
  type Collection,
  type Due,
  type Membership,
  type RecordOf,
  type RecordRef,
  type ShownIn,
} from './collection.ts';
import { recordDoesNotExist, revisionUnchanged } from './conditions.ts';
import { ListStates } from './head.ts';
import {
  dueIndex,
  keyNamesOf,
  listIndexes,
  nameOfKey,
  placeInDueIndex,
  recordKey,
  type Key,
  type ListIndex,
} from './keys.ts';
import { indexOfEvents, indexOfKind, listOf, listOfEvents, positionIn, type List } from './lists.ts';
import type { ListPosition } from './lists.ts';
import { foldedSearchables, searchAttributes, searchIndexesOf } from './searchables.ts';
import { parseRecord, revisionOf } from './stored-record.ts';
import type { TransactOperation, WriteTarget } from './table-client.ts';
import { claimedIn, heldValues, nextValues, UniqueChanges, type HeldValue } from './unique-values.ts';

/** One record of a write, before and after the write. */
export interface RecordChange {
  collection: Collection;
  number: number;
  key: Key;
  /** The record that was read; undefined if the write adds the record. */
  before?: { revision: number; item: Item };
  /**
   * Attributes that neither the schema nor the ledger knows, stored unchanged. The last event of a write also gets the
   * ledger's attributes `touched` and `shown` here.
   */
  otherAttributes: Item;
  /** Records that have this event in their event lists. Set for events only. */
  eventOf?: readonly RecordRef[];
  /** The unique values that the record holds so far; undefined until the record is changed. */
  held?: HeldValue[];
  /** The states of the lists that the record owns, by list name. */
  owned: ListStates;
  /** The record that shows this record; set when this record is changed. */
  shownIn?: ShownIn | undefined;
  /** The new content of the record; undefined until the record is changed. */
  after?: After | 'removed';
  /**
   * Days on which the write changes the record's booking, each with the new entry; an entry is undefined if the day
   * loses it.
   */
  bookedDays?: ReadonlyMap<string, string | undefined>;
  /** True if the write may leave the record unchanged: see `RecordToRead`. */
  mayStayUnchanged?: boolean;
  /** Indexes of the lists where the record becomes the newest member: see `Write.replace`. */
  newestIn?: Set<ListIndex>;
  /** Positions in list indexes: first the positions that were read, later the positions that the write stores. */
  positions: Map<ListIndex, ListPosition>;
}

/** The new content of a record, and the values that its collection derives from this content. */
interface After {
  record: object;
  memberships: readonly (readonly [kind: string, membership: Membership | undefined])[];
  /** Searchable fields, folded, in the order of the indexes. */
  searchables: readonly string[];
  due: Due | undefined;
}

/** A record by the name of its collection: the code may not know the collection of a list's owner. */
export interface RecordName {
  collection: string;
  number: number;
}

/**
 * The records of one write: records that it read to change, records that it adds, and records that it found missing.
 */
export class RecordChanges {
  readonly #target: WriteTarget;
  /** Changes by `nameOfKey`: DynamoDB takes one operation per item. */
  readonly #changes = new Map<string, RecordChange>();
  readonly #absent = new Set<string>();
  readonly uniques: UniqueChanges;

  constructor(target: WriteTarget, uniques = new UniqueChanges(target)) {
    this.#target = target;
    this.uniques = uniques;
  }

  /** A copy with the same unique values. The places and the lists of its records can change apart from the original. */
  copy(): RecordChanges {
    const copy = new RecordChanges(this.#target, this.uniques);
    for (const [name, change] of this.#changes)
      copy.#changes.set(name, { ...change, positions: new Map(change.positions) });
    for (const name of this.#absent) copy.#absent.add(name);
    return copy;
  }

  /** Adds a record that was read to change it; `item` is undefined if there is none. */
  addRead(
    { collection, number }: RecordRef,
    item: Item | undefined,
    { mayStayUnchanged = false }: { mayStayUnchanged?: boolean } = {},
  ): void {
    const key = recordKey(this.#target.organization, collection.name, number);
    if (item === undefined) this.#absent.add(nameOfKey(key));
    else
      this.#changes.set(nameOfKey(key), {
        ...readChange(key, { collection, number }, item),
        ...(mayStayUnchanged && { mayStayUnchanged }),
      });
  }

  /** Adds a new record. */
  add<C extends Collection>({ collection, number }: RecordRef<C>, record: RecordOf<C>): RecordChange {
    const key = recordKey(this.#target.organization, collection.name, number);
    const change: RecordChange = {
      collection,
      number,
      key,
      otherAttributes: {},
      held: [],
      owned: {},
      positions: new Map(),
    };
    this.#changes.set(nameOfKey(key), change);
    this.#store(collection, change, record);
    return change;
  }

  replace<C extends Collection>(ref: RecordRef<C>, record: RecordOf<C>): RecordChange {
    const change = this.#at(ref);
    this.#store(ref.collection, change, record);
    return change;
  }

  /** Stores a record again because the states of its lists change. Its fields stay the same. */
  rewrite(change: RecordChange): void {
    this.#store(change.collection, change, parseRecord(change.collection, change.before?.item ?? {}));
  }

  remove(ref: RecordRef): void {
    const change = this.#at(ref);
    this.#hold(ref.collection, change, undefined);
    change.shownIn = shownBefore(change);
    if (ref.collection.booked) change.bookedDays = changedDays(ref.number, bookedBefore(change), undefined);
    change.after = 'removed';
  }

  find({ collection, number }: RecordName): RecordChange | undefined {
    return this.#changes.get(nameOfKey(recordKey(this.#target.organization, collection, number)));
  }

  /** True if the record was read and does not exist. */
  isAbsent({ collection, number }: RecordName): boolean {
    return this.#absent.has(nameOfKey(recordKey(this.#target.organization, collection, number)));
  }

  /** True if the record was read, or added. */
  isKnown({ collection: { name: collection }, number }: RecordRef): boolean {
    return this.find({ collection, number }) !== undefined || this.isAbsent({ collection, number });
  }

  /**
   * A record with the changes so far; undefined if there is none, or if the write removes the record. @throws Error for
   * a record that was neither read nor added
   */
  current<C extends Collection>({ collection, number }: RecordRef<C>): RecordOf<C> | undefined {
    const name = { collection: collection.name, number };
    const { before, after } = this.find(name) ?? {};
    if (after === 'removed') return undefined;
    if (after) return v.parse(collection.schema, after.record);
    if (before) return parseRecord(collection, before.item);
    if (!this.isAbsent(name)) throw new Error(`A write uses a ${collection.label} that it has not read`);
    return undefined;
  }

  /** The states of the lists that a record owns. @throws Error for a record that was not read, or is removed */
  ownedBy(ref: RecordRef): ListStates {
    return this.#at(ref).owned;
  }

  /** Records that are stored or removed, in the order of the write. */
  get changed(): RecordChange[] {
    return [...this.#changes.values()].filter(({ after }) => after !== undefined);
  }

  /**
   * Number of operations for the records, their unique values and the days that they book. Includes records that were
   * read to change and are not changed yet, unless they may stay unchanged.
   */
  get size(): number {
    const records = [...this.#changes.values()].filter((change) => !mayBeLeftOut(change));
    const days = new Set(records.flatMap(({ bookedDays }) => [...(bookedDays?.keys() ?? [])]));
    return records.length + this.uniques.operations().length + days.size;
  }

  /** @throws Error for a record that was read to change and is unchanged */
  checkChanged(): void {
    for (const change of this.#changes.values()) {
      if (change.after === undefined && !mayBeLeftOut(change))
        throw new Error(`A record of ${change.key.pk} was read to change and is not: read it as a check`);
    }
  }

  #store<C extends Collection>(collection: C, change: RecordChange, record: RecordOf<C>): void {
    this.#hold(collection, change, record);
    change.shownIn = collection.shownIn?.(record);
    if (collection.booked)
      change.bookedDays = changedDays(change.number, bookedBefore(change), collection.booked(record));
    change.after = afterOf(collection, record);
  }

  /** Replaces the unique values that a record holds. `record` is undefined if it is removed. */
  #hold<C extends Collection>(collection: C, change: RecordChange, record: RecordOf<C> | undefined): void {
    if (!collection.uniques) return;
    const { organization } = this.#target;
    const item = change.before?.item;
    const had =
      change.held ??
      (item ? heldValues(organization, collection, v.parse(collection.schema, item), item) : []);
    const has = record ? nextValues(organization, collection, record, had) : [];
    this.uniques.move(collection, had, has);
    change.held = has;
  }

  /** @throws Error for a record that this write has neither appended nor read, or has removed */
  #at({ collection, number }: RecordRef): RecordChange {
    const change = this.find({ collection: collection.name, number });
    if (!change || change.after === 'removed')
      throw new Error('A write changes a record that it has not read');
    return change;
  }
}

/** The record that showed a record before this write. */
const shownBefore = ({ collection, before }: RecordChange): ShownIn | undefined =>
  collection.shownIn && before && collection.shownIn(parseRecord(collection, before.item));

/** The time that a record took before this write. */
const bookedBefore = ({ collection, before }: RecordChange): Booking | undefined =>
  before && collection.booked?.(parseRecord(collection, before.item));

const mayBeLeftOut = ({ after, mayStayUnchanged = false }: RecordChange): boolean =>
  after === undefined && mayStayUnchanged;

/** The attributes that the ledger adds to a record, except index keys. */
const ownAttributes = ['pk', 'sk', 'revision', 'claimed', 'lists'];

/** The change of a record that a write has read. */
function readChange(key: Key, { collection, number }: RecordRef, item: Item): RecordChange {
  const indexes = [
    ...knownIndexes(collection),
    ...searchIndexesOf(collection),
    ...(collection.due ? [dueIndex] : []),
  ];
  const known = new Set([
    // A collection without unique values keeps the claims that a newer version of the code stored.
    ...ownAttributes.filter((name) => name !== 'claimed' || collection.uniques !== undefined),
    ...Object.keys(collection.schema.entries),
    ...indexes.flatMap((index) => Object.values(keyNamesOf(index))),
  ]);
  const positions = new Map<ListIndex, ListPosition>();
  for (const index of knownIndexes(collection)) {
    const position = positionIn(item, index);
    if (position) positions.set(index, position);
  }
  return {
    collection,
    number,
    key,
    before: { revision: revisionOf(item), item },
    // Includes keys of indexes that only a newer version of the code uses.
    otherAttributes: Object.fromEntries(Object.entries(item).filter(([name]) => !known.has(name))),
    owned: v.parse(v.optional(ListStates, {}), item['lists']),
    positions,
  };
}

const afterOf = <C extends Collection>(collection: C, record: RecordOf<C>): After => ({
  record,
  memberships: Object.entries(collection.lists ?? {}).map(([name, kind]) => [name, kind.of(record)] as const),
  searchables: foldedSearchables(collection, record),
  due: collection.due?.(record),
});

/** The lists of a record before this write, by index, according to the present definition of its collection. */
export function listsBefore(target: WriteTarget, change: RecordChange): Map<ListIndex, List> {
  const { collection, before } = change;
  const after = before && afterOf(collection, parseRecord(collection, before.item));
  return after ? listsAfter(target, { ...change, after }) : new Map<ListIndex, List>();
}

/** The lists that a record belongs to after the write, by index. */
export function listsAfter(
  { organization }: WriteTarget,
  { collection, after, eventOf = [] }: RecordChange,
): Map<ListIndex, List> {
  const lists = new Map<ListIndex, List>();
  if (after === undefined || after === 'removed') return lists;
  for (const [kind, membership] of after.memberships) {
    if (membership)
      lists.set(indexOfKind(collection, kind), listOf(organization, collection, kind, membership));
  }
  for (const owner of eventOf) {
    const index = indexOfEvents(owner.collection);
    if (lists.has(index)) throw new Error('An event is in two lists of one index');
    lists.set(index, listOfEvents(organization, owner));
  }
  return lists;
}

/** The list indexes that a collection uses in this version of the code. */
export const knownIndexes = (collection: Collection): readonly ListIndex[] =>
  collection === events ? listIndexes : listIndexes.slice(0, Object.keys(collection.lists ?? {}).length);

/**
 * The operation that stores or deletes a changed record, on condition that no other write has changed the record since.
 */
export function recordOperation(
  { tableName: TableName, organization }: WriteTarget,
  { collection, number, key, before, after, otherAttributes, held = [], owned, positions }: RecordChange,
  revision: number,
): TransactOperation {
  const condition = before ? revisionUnchanged(before.revision) : recordDoesNotExist;
  if (after === undefined || after === 'removed') return { Delete: { TableName, Key: key, ...condition } };
  const inIndexes: Item = {};
  for (const [index, { partition, rank }] of positions) {
    const { pkName, skName } = keyNamesOf(index);
    inIndexes[pkName] = partition;
    inIndexes[skName] = rank;
  }
  if (after.due) Object.assign(inIndexes, placeInDueIndex(organization, after.due));
  const Item = {
    ...otherAttributes,
    ...after.record,
    ...claimedIn(held),
    ...(Object.keys(owned).length > 0 && { lists: owned }),
    ...inIndexes,
    ...searchAttributes(organization, { collection, number }, after.searchables),
    revision,
    ...key,
  };
  return { Put: { TableName, Item, ...condition } };
}
