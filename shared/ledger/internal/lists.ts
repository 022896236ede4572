import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { events, type Collection, type Membership, type RecordRef } from './collection.ts';
import { keyNamesOf, listIndexes, listPartition, recordsPartition, type ListIndex } from './keys.ts';
import { numberOfId } from './stored-record.ts';

/** The location of a list's members, and the kind of its state. */
export interface List {
  /** Undefined for the list of a whole collection, which is the collection itself. */
  readonly index: ListIndex | undefined;
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

export const listOfAll = (organization: OrganizationCode, { name }: Collection): List => ({
  index: undefined,
  partition: listPartition(organization, { collection: name }),
  pkOfMembers: recordsPartition(organization, name),
  hasManyNames: false,
});

/** The list that a membership names. @throws Error if its owner is no id of the organization */
export function listOf(
  organization: OrganizationCode,
  collection: Collection,
  kind: string,
  { name, owner }: Membership,
): List {
  const number = owner && numberOfId(owner.collection, organization, owner.id);
  if (owner && number === undefined) throw new Error(`No ${owner.collection.label} can own a list`);
  const index = indexOfKind(collection, kind);
  return {
    index,
    partition: listPartition(organization, {
      collection: collection.name,
      index,
      owner: owner && number !== undefined ? { collection: owner.collection.name, number } : undefined,
      name,
    }),
    pkOfMembers: recordsPartition(organization, collection.name),
    hasManyNames: collection.lists?.[kind]?.hasManyNames ?? false,
  };
}

export const listOfEvents = (organization: OrganizationCode, { collection, number }: RecordRef): List => {
  const index = indexOfEvents(collection);
  const owner = { collection: collection.name, number };
  return {
    index,
    partition: listPartition(organization, { collection: events.name, index, owner }),
    pkOfMembers: recordsPartition(organization, events.name),
    hasManyNames: false,
  };
};

/**
 * The index of a kind of list, by the kind's position in the collection. @throws Error beyond the last index
 */
export function indexOfKind({ name, lists = {} }: Collection, kind: string): ListIndex {
  const index = listIndexes[Object.keys(lists).indexOf(kind)];
  if (index === undefined)
    throw new Error(`${name} has no lists of the kind ${kind}, or more kinds than indexes`);
  return index;
}

/** The index of the event lists of a collection's records. @throws Error if they have none */
export function indexOfEvents({ name, eventListIndex }: Collection): ListIndex {
  const index = eventListIndex === undefined ? undefined : listIndexes[eventListIndex];
  if (index === undefined) throw new Error(`The records of ${name} have no lists of events`);
  return index;
}

/** A stored record's position in the list of an index; undefined if it is in none. */
export function positionIn(item: Item, index: ListIndex): ListPosition | undefined {
  const { pkName, skName } = keyNamesOf(index);
  const [partition, rank] = [item[pkName], item[skName]];
  return typeof partition === 'string' && typeof rank === 'number' ? { partition, rank } : undefined;
}
