import * as v from 'valibot';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import {
  events,
  type Collection,
  type Due,
  type Membership,
  type RecordOf,
  type RecordRef,
} from './collection.ts';
import { recordDoesNotExist, revisionUnchanged } from './conditions.ts';
import { ListStates } from './head.ts';
import {
  dueIndex,
  duePartition,
  keyNamesOf,
  listIndexes,
  shardOf,
  type Key,
  type ListIndex,
} from './keys.ts';
import {
  indexOfEvents,
  indexOfKind,
  listOf,
  listOfEvents,
  positionIn,
  type List,
  type ListPosition,
} from './lists.ts';
import { revisionOf } from './stored-record.ts';
import { foldedSearchables, searchAttributes, searchIndexesOf } from './searchables.ts';
import type { TransactOperation } from './table-client.ts';
import { claimedIn, type HeldValue } from './unique-values.ts';

/** One record of a write: as it was read, and as the write stores it. */
export interface RecordChange {
  collection: Collection;
  number: number;
  key: Key;
  /** The record as it was read; undefined if the write adds it. */
  before?: { revision: number; item: Item };
  /** Attributes that neither the schema nor the ledger knows. They are stored unchanged. */
  kept: Item;
  /** Records in whose event lists an event is. Only events have them. */
  eventOf?: readonly RecordRef[];
  /** The unique values that it holds so far; undefined until it is changed. */
  held?: HeldValue[];
  /** The states of the lists that it owns, by their names. */
  owned: ListStates;
  /** The record as it will be stored; undefined until it is changed. */
  after?: After | 'removed';
  /** True if the write may leave it unchanged: see `ReadSet.change`. */
  mayStayUnchanged?: boolean;
  /** Indexes of the lists in which it becomes the newest member: see `Write.replace`. */
  newestIn?: Set<ListIndex>;
  /** Positions in list indexes: as read, then as the write stores them. */
  positions: Map<ListIndex, ListPosition>;
}

/** A record as it will be stored, and what its collection derives from it. */
export interface After {
  record: object;
  memberships: readonly (readonly [kind: string, membership: Membership | undefined])[];
  /** Searchable fields, folded, in the order of the indexes. */
  searchables: readonly string[];
  due: Due | undefined;
}

/** The attributes that the ledger adds to a record, except index keys. */
const ownAttributes = ['pk', 'sk', 'revision', 'claimed', 'lists'];

/** A record that a write has read. */
export function storedRecord(key: Key, { collection, number }: RecordRef, item: Item): RecordChange {
  const known = new Set([
    // A collection without unique values keeps the claims that a newer version of the code stored.
    ...ownAttributes.filter((name) => name !== 'claimed' || collection.uniques !== undefined),
    ...Object.keys(collection.schema.entries),
    ...indexAttributesOf(collection),
  ]);
  return {
    collection,
    number,
    key,
    before: { revision: revisionOf(item), item },
    // Includes keys of indexes that only a newer version of the code uses.
    kept: Object.fromEntries(Object.entries(item).filter(([name]) => !known.has(name))),
    owned: v.parse(v.optional(ListStates, {}), item['lists']),
    positions: positionsIn(collection, item),
  };
}

/** A record that a write adds. */
export const newRecord = <C extends Collection>(
  key: Key,
  { collection, number }: RecordRef<C>,
  record: RecordOf<C>,
): RecordChange => ({
  collection,
  number,
  key,
  kept: {},
  held: [],
  owned: {},
  after: afterOf(collection, record),
  positions: new Map(),
});

export const afterOf = <C extends Collection>(collection: C, record: RecordOf<C>): After => ({
  record,
  memberships: Object.entries(collection.lists ?? {}).map(([name, kind]) => [name, kind.of(record)] as const),
  searchables: foldedSearchables(collection, record),
  due: collection.due?.(record),
});

/** The lists that a record belongs to after the write, by index. */
export function listsAfter(
  organization: OrganizationCode,
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

/** The operation that stores a changed record, on condition that it is as it was read. */
export function recordOperation(
  change: RecordChange,
  {
    tableName: TableName,
    organization,
    revision,
  }: { tableName: string; organization: OrganizationCode; revision: number },
): TransactOperation {
  const { key, before, after } = change;
  const condition = before ? revisionUnchanged(before.revision) : recordDoesNotExist;
  if (after === undefined || after === 'removed') return { Delete: { TableName, Key: key, ...condition } };
  const { kept, held = [], owned, positions } = change;
  const Item = {
    ...kept,
    ...after.record,
    ...claimedIn(held),
    ...(Object.keys(owned).length > 0 && { lists: owned }),
    ...inIndexes(positions),
    ...searchAttributes(organization, change, after.searchables),
    ...(after.due && dueAttributes(after.due, organization)),
    revision,
    ...key,
  };
  return { Put: { TableName, Item, ...condition } };
}

function inIndexes(positions: ReadonlyMap<ListIndex, ListPosition>): Item {
  const attributes: Item = {};
  for (const [index, { partition, rank }] of positions) {
    const { pkName, skName } = keyNamesOf(index);
    attributes[pkName] = partition;
    attributes[skName] = rank;
  }
  return attributes;
}

function dueAttributes({ worker, at }: Due, organization: OrganizationCode): Item {
  const { pkName, skName } = keyNamesOf(dueIndex);
  return { [pkName]: duePartition(worker, shardOf(organization)), [skName]: at };
}

/** The list indexes that a collection uses in this version of the code. */
export const knownIndexes = (collection: Collection): readonly ListIndex[] =>
  collection === events ? listIndexes : listIndexes.slice(0, Object.keys(collection.lists ?? {}).length);

/** A stored record's positions in the list indexes that its collection uses. */
const positionsIn = (collection: Collection, item: Item): Map<ListIndex, ListPosition> =>
  new Map(
    knownIndexes(collection).flatMap((index) => {
      const position = positionIn(item, index);
      return position ? [[index, position] as const] : [];
    }),
  );

const indexAttributesOf = (collection: Collection): string[] =>
  [
    ...knownIndexes(collection),
    ...searchIndexesOf(collection),
    ...(collection.due ? [dueIndex] : []),
  ].flatMap((index) => Object.values(keyNamesOf(index)));
