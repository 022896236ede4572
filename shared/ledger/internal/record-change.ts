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
import type { TransactItem } from './table-client.ts';
import { claimedIn, type HeldValue } from './unique-values.ts';

/** One record in a write. */
export interface RecordChange {
  collection: Collection;
  number: number;
  key: Key;
  /** The record as the write found it; none where it adds it. */
  before?: { revision: number; item: Item };
  /** Attributes that neither the schema nor the ledger knows, which stay. */
  kept: Item;
  /** Of an event: the records whose lists it is in. */
  eventOf?: readonly RecordRef[];
  /** The unique values that it holds so far; undefined until it is changed. */
  held?: HeldValue[];
  /** The states of the lists that it owns, by their names. */
  owned: ListStates;
  /** What it becomes; undefined until it is changed. */
  after?: After | 'removed';
  /** Whether a write may leave it as it is: see `ReadSet.change`. */
  mayStayUnchanged?: boolean;
  /** The indexes of the lists that it joins again, even if it is in them: see `Write.replace`. */
  newestIn?: Set<ListIndex>;
  /** Its positions in list indexes: as read, then as changed. */
  positions: Map<ListIndex, ListPosition>;
}

/** What a record becomes, and what its collection says of that. */
export interface After {
  record: object;
  memberships: readonly (readonly [kind: string, membership: Membership | undefined])[];
  /** As they are compared, in the order of the indexes. */
  searchables: readonly string[];
  due: Due | undefined;
}

/** The attributes that the ledger adds to a record; those of its indexes beside. */
const ownAttributes = ['pk', 'sk', 'revision', 'claimed', 'lists'];

/** A record that a write has read. */
export function storedRecord(key: Key, { collection, number }: RecordRef, item: Item): RecordChange {
  const known = new Set([
    // Without unique values that this version knows of, what a newer one claimed stays.
    ...ownAttributes.filter((name) => name !== 'claimed' || collection.uniques !== undefined),
    ...Object.keys(collection.schema.entries),
    ...indexAttributesOf(collection),
  ]);
  return {
    collection,
    number,
    key,
    before: { revision: revisionOf(item), item },
    // Including its place in an index that only newer code knows.
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

/** What a record becomes. */
export const afterOf = <C extends Collection>(collection: C, record: RecordOf<C>): After => ({
  record,
  memberships: Object.entries(collection.lists ?? {}).map(([name, kind]) => [name, kind.of(record)] as const),
  searchables: foldedSearchables(collection, record),
  due: collection.due?.(record),
});

/** The lists that a record belongs to after its write, by index. */
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
export function recordStep(
  change: RecordChange,
  {
    tableName: TableName,
    organization,
    revision,
  }: { tableName: string; organization: OrganizationCode; revision: number },
): TransactItem {
  const { key, before, after } = change;
  const condition = before
    ? {
        ConditionExpression: 'revision = :revision',
        ExpressionAttributeValues: { ':revision': before.revision },
      }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
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

/** The indexes of lists that this version of the code knows a collection's records to be in. */
export const knownIndexes = (collection: Collection): readonly ListIndex[] =>
  collection === events ? listIndexes : listIndexes.slice(0, Object.keys(collection.lists ?? {}).length);

/** The positions of a stored record in lists, as far as this version of the code knows of them. */
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
