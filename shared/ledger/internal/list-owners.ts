import * as v from 'valibot';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { events } from './collection.ts';
import { ListStates } from './head.ts';
import {
  formerKey,
  listName,
  listPartition,
  nameOfKey,
  parseListName,
  parseListPartition,
  type Key,
  type ListKey,
  redactedPartition,
} from './keys.ts';
import type { ListChanges, ListStateStore } from './list-changes.ts';
import { formatState, lengthOf, parseState, type ListState } from './list-state.ts';
import type { RecordChange } from './record-change.ts';
import { revisionOf } from './stored-record.ts';
import type { TransactItem } from './table-client.ts';
import type { RecordChanges } from './record-changes.ts';

type Owner = NonNullable<ListKey['owner']>;

/** What is left of a removed record as long as lists that it owned have members. */
interface FormerOwner {
  owner: Owner;
  key: Key;
  before: { revision: number; item: Item; owned: ListStates };
  owned: ListStates;
}

/** What the lists' owners need of the write that they are a part of. */
export interface ListOwnersDependencies {
  readonly records: RecordChanges;
  /** The state of a list that no record owns, by its name. */
  stateOf: (name: string) => ListState;
  keepState: (name: string, state: ListState) => void;
  /** Stores a record that is not changed but for the lists that it owns. */
  rewrite: (owner: RecordChange) => void;
}

/**
 * Keeps the states of lists that have no item of their own: in the head, in the record that owns the list, or, once that is
 * removed, in what is left of it (its former item), until the last member leaves.
 */
export class ListOwners implements ListStateStore {
  readonly #organization: OrganizationCode;
  readonly #write: ListOwnersDependencies;
  /** By the names of their keys; undefined where nothing is kept of the owner. */
  readonly #formers = new Map<string, FormerOwner | undefined>();

  constructor(organization: OrganizationCode, write: ListOwnersDependencies) {
    this.#organization = organization;
    this.#write = write;
  }

  /** The list of a partition. @throws Error if it is no list of the organization */
  parsed(partition: string): ListKey {
    const key = parseListPartition(this.#organization, partition);
    if (!key) throw new Error(`${redactedPartition(partition)} is no list of the organization`);
    return key;
  }

  /** Notes the former item of a removed record; undefined where nothing is kept of it. */
  addFormer(owner: Owner, item: Item | undefined): void {
    const key = formerKey(this.#organization, owner.collection, owner.number);
    const owned = item && v.parse(ListStates, item['lists']);
    const former = owned && { owner, key, before: { revision: revisionOf(item), item, owned }, owned };
    this.#formers.set(nameOfKey(key), former);
  }

  /** Whether it is known what is left of a record, if anything is. */
  isFormerRead({ collection, number }: Owner): boolean {
    return this.#formers.has(nameOfKey(formerKey(this.#organization, collection, number)));
  }

  /** Whether something is left of a removed record, as it was read. */
  hasFormer({ collection, number }: Owner): boolean {
    return this.#formers.get(nameOfKey(formerKey(this.#organization, collection, number))) !== undefined;
  }

  stateOf(partition: string): ListState | undefined {
    const key = this.parsed(partition);
    if (!key.owner) return this.#write.stateOf(listName(key));
    const owner = this.#ownerOf(key.owner, key);
    return owner && parseState(owner.owned[listName(key)]);
  }

  keep(partition: string, state: ListState): void {
    const key = this.parsed(partition);
    if (!key.owner) {
      this.#write.keepState(listName(key), state);
      return;
    }
    const owner = this.#ownerOf(key.owner, key);
    if (!owner) return;
    owner.owned = { ...owner.owned, [listName(key)]: formatState(state) };
    if ('collection' in owner && owner.after === undefined) this.#write.rewrite(owner);
  }

  /** Whether the record that owns a list is not there. @throws Error if it was not read to change */
  isGone(partition: string): boolean {
    const { owner, ...list } = this.parsed(partition);
    return owner !== undefined && this.#liveOwnerOf(owner, list) === undefined;
  }

  /**
   * The operations that store what is left of removed records, once all members have moved. Ends those lists of which
   * nothing is left.
   */
  steps(lists: ListChanges, to: { tableName: string; revision: number }): TransactItem[] {
    const removed = this.#write.records.changed.filter(({ after }) => after === 'removed');
    return [
      ...removed.flatMap((owner) => this.#leave(owner, lists, to)),
      ...[...this.#formers.values()].flatMap((former) => (former ? this.#advance(former, lists, to) : [])),
    ];
  }

  /** What a record that is removed leaves behind. */
  #leave(
    { collection, number, owned }: RecordChange,
    lists: ListChanges,
    { tableName: TableName, revision }: { tableName: string; revision: number },
  ): TransactItem[] {
    const owner = { collection: collection.name, number };
    const kept = withoutEvents(owned);
    if (!hasMembers(kept)) {
      this.#end(owner, kept, lists);
      return [];
    }
    const Item = { lists: kept, revision, ...formerKey(this.#organization, owner.collection, number) };
    // Without a condition: the transaction proves that the record was there, and its number is never given out again. So
    // what is there under this key is not of now (a restore brought it back, say), and a refusal would last for ever.
    return [{ Put: { TableName, Item } }];
  }

  /** What becomes of what an earlier write left. */
  #advance(
    { owner, key, before, owned }: FormerOwner,
    lists: ListChanges,
    { tableName: TableName, revision }: { tableName: string; revision: number },
  ): TransactItem[] {
    if (owned === before.owned) return [];
    const asRead = {
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: { ':revision': before.revision },
    };
    if (hasMembers(owned)) {
      const Item = { ...before.item, lists: owned, revision, ...key };
      return [{ Put: { TableName, Item, ...asRead } }];
    }
    this.#end(owner, owned, lists);
    return [{ Delete: { TableName, Key: key, ...asRead } }];
  }

  /** Ends the lists of an owner. */
  #end(owner: Owner, owned: ListStates, lists: ListChanges): void {
    for (const name of Object.keys(owned)) {
      const list = parseListName(name);
      if (list) lists.end(listPartition(this.#organization, { ...list, owner }));
    }
  }

  /** What has the state of a list; undefined where nothing is kept of its owner. */
  #ownerOf(owner: Owner, list: Omit<ListKey, 'owner'>): RecordChange | FormerOwner | undefined {
    const live = this.#liveOwnerOf(owner, list);
    if (live) return live;
    const name = nameOfKey(formerKey(this.#organization, owner.collection, owner.number));
    if (!this.#formers.has(name))
      throw new Error(
        `A list of ${listName(list)} changes, and what is left of its ${owner.collection} was not read`,
      );
    return this.#formers.get(name);
  }

  #liveOwnerOf(owner: Owner, list: Omit<ListKey, 'owner'>): RecordChange | undefined {
    const change = this.#write.records.find(owner);
    if (!change && !this.#write.records.isAbsent(owner))
      throw new Error(
        `A list of ${listName(list)} changes, and its ${owner.collection} was not read to change`,
      );
    return change;
  }
}

/** Events never leave, and nobody asks for those of a record that is gone. */
const withoutEvents = (owned: ListStates): ListStates =>
  Object.fromEntries(
    Object.entries(owned).filter(([name]) => parseListName(name)?.collection !== events.name),
  );

/** How many members the lists that a record owns have, those of its events aside. */
export const membersOf = ({ owned }: RecordChange): number => countMembers(withoutEvents(owned));

const hasMembers = (owned: ListStates): boolean => countMembers(owned) > 0;

const countMembers = (owned: ListStates): number =>
  Object.values(owned).reduce((sum, state) => sum + lengthOf(parseState(state)), 0);
