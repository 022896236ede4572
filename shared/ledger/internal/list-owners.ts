import * as v from 'valibot';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { events } from './collection.ts';
import { revisionUnchanged } from './conditions.ts';
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
import type { TransactOperation } from './table-client.ts';
import type { RecordChanges } from './record-changes.ts';

type Owner = NonNullable<ListKey['owner']>;

/** The former item of a removed record. It keeps the states of the record's lists while they have members. */
interface FormerOwner {
  owner: Owner;
  key: Key;
  before: { revision: number; item: Item; owned: ListStates };
  owned: ListStates;
}

/** The parts of a write that `ListOwners` uses. */
export interface ListOwnersDependencies {
  readonly records: RecordChanges;
  /** The state of a list that no record owns, by the list's name. */
  stateOf: (name: string) => ListState;
  setState: (name: string, state: ListState) => void;
  /** Stores a record of which only the states of its lists change. */
  rewrite: (owner: RecordChange) => void;
}

/**
 * Stores the states of lists that have no state item:
 *
 * - in the head, if no record owns the list;
 * - in the record that owns the list;
 * - in that record's former item, from its removal until the last member leaves.
 */
export class ListOwners implements ListStateStore {
  readonly #organization: OrganizationCode;
  readonly #write: ListOwnersDependencies;
  /** Former items that were read, by `nameOfKey`; undefined if there is none. */
  readonly #formers = new Map<string, FormerOwner | undefined>();

  constructor(organization: OrganizationCode, write: ListOwnersDependencies) {
    this.#organization = organization;
    this.#write = write;
  }

  /** Parses a list's partition. @throws Error if it is no list of the organization */
  parsed(partition: string): ListKey {
    const key = parseListPartition(this.#organization, partition);
    if (!key) throw new Error(`${redactedPartition(partition)} is no list of the organization`);
    return key;
  }

  /** Adds the former item of a removed record; `item` is undefined if there is none. */
  addFormer(owner: Owner, item: Item | undefined): void {
    const key = formerKey(this.#organization, owner.collection, owner.number);
    const owned = item && v.parse(ListStates, item['lists']);
    const former = owned && { owner, key, before: { revision: revisionOf(item), item, owned }, owned };
    this.#formers.set(nameOfKey(key), former);
  }

  /** True if the former item of a record was read, even if there is none. */
  isFormerRead({ collection, number }: Owner): boolean {
    return this.#formers.has(nameOfKey(formerKey(this.#organization, collection, number)));
  }

  /** True if the former item of a record was read and exists. */
  hasFormer({ collection, number }: Owner): boolean {
    return this.#formers.get(nameOfKey(formerKey(this.#organization, collection, number))) !== undefined;
  }

  stateOf(partition: string): ListState | undefined {
    const key = this.parsed(partition);
    if (!key.owner) return this.#write.stateOf(listName(key));
    const owner = this.#ownerOf(key.owner, key);
    return owner && parseState(owner.owned[listName(key)]);
  }

  setState(partition: string, state: ListState): void {
    const key = this.parsed(partition);
    if (!key.owner) {
      this.#write.setState(listName(key), state);
      return;
    }
    const owner = this.#ownerOf(key.owner, key);
    if (!owner) return;
    owner.owned = { ...owner.owned, [listName(key)]: formatState(state) };
    if ('collection' in owner && owner.after === undefined) this.#write.rewrite(owner);
  }

  /** True if the record that owns a list does not exist. @throws Error if it was not read to change */
  isGone(partition: string): boolean {
    const { owner, ...list } = this.parsed(partition);
    return owner !== undefined && this.#liveOwnerOf(owner, list) === undefined;
  }

  /** Stores former items, and ends the lists that are empty. Call it once all members have moved. */
  operations(lists: ListChanges, to: { tableName: string; revision: number }): TransactOperation[] {
    const removed = this.#write.records.changed.filter(({ after }) => after === 'removed');
    return [
      ...removed.flatMap((owner) => this.#createFormer(owner, lists, to)),
      ...[...this.#formers.values()].flatMap((former) =>
        former ? this.#updateFormer(former, lists, to) : [],
      ),
    ];
  }

  /** Creates the former item of a record that this write removes. */
  #createFormer(
    { collection, number, owned }: RecordChange,
    lists: ListChanges,
    { tableName: TableName, revision }: { tableName: string; revision: number },
  ): TransactOperation[] {
    const owner = { collection: collection.name, number };
    const kept = withoutEvents(owned);
    if (!hasMembers(kept)) {
      this.#end(owner, kept, lists);
      return [];
    }
    const Item = { lists: kept, revision, ...formerKey(this.#organization, owner.collection, number) };
    // No condition: the transaction proves that the record exists, and no other record gets its number. An item under this
    // key can only be a leftover, such as of a restore, and a condition would refuse the removal for ever.
    return [{ Put: { TableName, Item } }];
  }

  /** Updates a former item that an earlier write created, or deletes it with the last member. */
  #updateFormer(
    { owner, key, before, owned }: FormerOwner,
    lists: ListChanges,
    { tableName: TableName, revision }: { tableName: string; revision: number },
  ): TransactOperation[] {
    if (owned === before.owned) return [];
    const asRead = revisionUnchanged(before.revision);
    if (hasMembers(owned)) {
      const Item = { ...before.item, lists: owned, revision, ...key };
      return [{ Put: { TableName, Item, ...asRead } }];
    }
    this.#end(owner, owned, lists);
    return [{ Delete: { TableName, Key: key, ...asRead } }];
  }

  #end(owner: Owner, owned: ListStates, lists: ListChanges): void {
    for (const name of Object.keys(owned)) {
      const list = parseListName(name);
      if (list) lists.end(listPartition(this.#organization, { ...list, owner }));
    }
  }

  /**
   * The record or former item that has a list's state; undefined if the owner is gone and left no former
   * item.
   */
  #ownerOf(owner: Owner, list: Omit<ListKey, 'owner'>): RecordChange | FormerOwner | undefined {
    const live = this.#liveOwnerOf(owner, list);
    if (live) return live;
    const name = nameOfKey(formerKey(this.#organization, owner.collection, owner.number));
    if (!this.#formers.has(name))
      throw new Error(
        `A list of ${listName(list)} changes, and the former item of its ${owner.collection} was not read`,
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

/** Events never leave their lists, and no one lists the events of a removed record. */
const withoutEvents = (owned: ListStates): ListStates =>
  Object.fromEntries(
    Object.entries(owned).filter(([name]) => parseListName(name)?.collection !== events.name),
  );

/** Number of members of all lists that a record owns, except its events. */
export const membersOf = ({ owned }: RecordChange): number => countMembers(withoutEvents(owned));

const hasMembers = (owned: ListStates): boolean => countMembers(owned) > 0;

const countMembers = (owned: ListStates): number =>
  Object.values(owned).reduce((sum, state) => sum + lengthOf(parseState(state)), 0);
