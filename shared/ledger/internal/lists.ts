import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { events, type Collection, type Membership, type RecordRef } from './collection.ts';
import type { ListStates } from './head.ts';
import {
  keyNamesOf,
  listIndexes,
  listPartition,
  parseStateName,
  recordsPartition,
  type ListIndex,
  type ListKey,
} from './keys.ts';
import { lengthOf, parseState } from './list-state.ts';
import { numberOfId } from './stored-record.ts';

/** A list, with the partitions of its key, and the kind of its state. */
export interface List extends ListKey {
  readonly partition: string;
  /** Partition of the table with the members. */
  readonly pkOfMembers: string;
  readonly hasManyNames: boolean;
}

/** A record's position in the list of an index. */
export interface ListPosition {
  partition: string;
  rank: number;
}

export const listWithKey = (organization: OrganizationCode, key: ListKey, hasManyNames = false): List => ({
  ...key,
  partition: listPartition(organization, key),
  pkOfMembers: recordsPartition(organization, key.collection),
  hasManyNames,
});

export const listOfAll = (organization: OrganizationCode, { name: collection }: Collection): List =>
  listWithKey(organization, { collection });

/** The list that a membership names. @throws Error if the owner's id is no id of the organization */
export function listOf(
  organization: OrganizationCode,
  collection: Collection,
  kind: string,
  { name, owner }: Membership,
): List {
  const number = owner && numberOfId(owner.collection, organization, owner.id);
  if (owner && number === undefined) throw new Error(`No ${owner.collection.label} can own a list`);
  const key = {
    collection: collection.name,
    index: indexOfKind(collection, kind),
    owner: owner && number !== undefined ? { collection: owner.collection.name, number } : undefined,
    name,
  };
  return listWithKey(organization, key, collection.lists?.[kind]?.hasManyNames);
}

export const listOfEvents = (organization: OrganizationCode, { collection, number }: RecordRef): List =>
  listWithKey(organization, {
    collection: events.name,
    index: indexOfEvents(collection),
    owner: { collection: collection.name, number },
  });

/** The index of a kind of list, by the kind's position in the collection. @throws Error if there is no index for it */
export function indexOfKind({ name, lists = {} }: Collection, kind: string): ListIndex {
  const index = listIndexes[Object.keys(lists).indexOf(kind)];
  if (index === undefined)
    throw new Error(`${name} has no lists of the kind ${kind}, or more kinds than indexes`);
  return index;
}

/** Lengths of the lists of one kind that a record owns, by list name; `""` for lists without a name. */
export function lengthsOwned(owned: ListStates, collection: Collection, kind: string): Map<string, number> {
  const index = indexOfKind(collection, kind);
  return new Map(
    Object.entries(owned).flatMap(([list, state]) => {
      const key = parseStateName(list);
      if (key?.collection !== collection.name || key.index !== index) return [];
      return [[key.name ?? '', lengthOf(parseState(state))] as const];
    }),
  );
}

/** The index of the event lists of a collection's records. @throws Error if the records have no event lists */
export function indexOfEvents({ name, eventListIndex }: Collection): ListIndex {
  const index = eventListIndex === undefined ? undefined : listIndexes[eventListIndex];
  if (index === undefined) throw new Error(`The records of ${name} have no lists of events`);
  return index;
}

/** A stored record's position in the list of an index; undefined if the record is in no list there. */
export function positionIn(item: Item, index: ListIndex): ListPosition | undefined {
  const { pkName, skName } = keyNamesOf(index);
  const [partition, rank] = [item[pkName], item[skName]];
  return typeof partition === 'string' && typeof rank === 'number' ? { partition, rank } : undefined;
}
