import * as v from 'valibot';
import type { Item } from './attributes.ts';
import { events } from './collection.ts';
import { listStateDoesNotExist, listStateUnchanged, revisionUnchanged } from './conditions.ts';
import { ListStates } from './head.ts';
import {
  countsKey,
  formerKey,
  holesKey,
  listName,
  nameOfKey,
  parseStateName,
  stateKey,
  stateName,
  type Key,
  type ListKey,
} from './keys.ts';
import {
  bucketPositionOf,
  bucketSize,
  emptyList,
  formatState,
  hasCounts,
  lengthOf,
  parseState,
  withLeft,
  withNext,
  type ListState,
} from './list-state.ts';
import { listWithKey, type List } from './lists.ts';
import { countBits, holeBits, increments } from './packed-numbers.ts';
import type { RecordChange, RecordChanges, RecordName } from './record-changes.ts';
import { revisionOf } from './stored-record.ts';
import type { TransactOperation, WriteTarget } from './table-client.ts';

/** The state of a list that has a state item. */
interface StateItem {
  /** The state that was read; undefined if there was no item. */
  before: string | undefined;
  state: ListState;
}

/**
 * The former item of a removed record. The item keeps the states of the record's lists while the lists have members.
 */
interface FormerOwner {
  owner: RecordName;
  key: Key;
  before: { revision: number; item: Item; owned: ListStates };
  owned: ListStates;
  /**
   * Time when DynamoDB deletes the item after its lists have become empty. Undefined if the write that empties the
   * lists deletes the item itself.
   */
  expiresAtSecond?: number;
}

/** Lists that are empty and that nobody can join any more, by partition. */
type EndedLists = Map<string, List>;

/** The states of the lists in the head of a write. */
export interface StatesInHead {
  stateOf: (list: ListKey) => ListState;
  setState: (list: ListKey, state: ListState) => void;
}

/**
 * Changes that one write makes to lists. A member joins at the next rank. A member that leaves makes a hole. The write
 * adds holes without reading them first. This is safe: the transaction checks the member's revision, so no rank becomes
 * a hole twice.
 *
 * The place of a list's state depends on the list:
 *
 * - A list of a kind with many names has a state item.
 * - Any other list that no record owns has its state in the head.
 * - Any other list that a record owns has its state in that record.
 * - After the removal of that record, its former item has the state until the last member leaves.
 */
export class ListChanges {
  readonly #target: WriteTarget;
  readonly #records: RecordChanges;
  readonly #head: StatesInHead;
  /** State items that were read, by the list's partition. */
  readonly #stateItems = new Map<string, StateItem>();
  /** Former items that were read, by `nameOfKey`; undefined if there is none. */
  readonly #formers = new Map<string, FormerOwner | undefined>();
  /** Ranks that leave, by partition. */
  readonly #leaving = new Map<string, { list: List; ranks: number[] }>();
  /** Lists that get a second bucket, by partition. */
  readonly #grown = new Map<string, List>();

  constructor(target: WriteTarget, records: RecordChanges, head: StatesInHead) {
    this.#target = target;
    this.#records = records;
    this.#head = head;
  }

  /** A copy that changes apart from the original. `records` and `head` are those of the copied write. */
  copy(records: RecordChanges, head: StatesInHead): ListChanges {
    const copy = new ListChanges(this.#target, records, head);
    for (const [name, former] of this.#formers) copy.#formers.set(name, former && { ...former });
    for (const [partition, leaving] of this.#leaving) copy.#leaving.set(partition, leaving);
    for (const [partition, list] of this.#grown) copy.#grown.set(partition, list);
    return copy;
  }

  /** Adds the state item of the list with this partition; `item` is undefined if there is none. */
  addStateItem(partition: string, item: Item | undefined): void {
    const text = item?.['state'];
    const before = typeof text === 'string' ? text : undefined;
    this.#stateItems.set(partition, { before, state: parseState(before) });
  }

  /** Adds the former item of a removed record; `item` is undefined if there is none. */
  addFormer(owner: RecordName, item: Item | undefined): void {
    const key = this.#formerKeyOf(owner);
    const owned = item && v.parse(ListStates, item['lists']);
    const former = owned && { owner, key, before: { revision: revisionOf(item), item, owned }, owned };
    this.#formers.set(nameOfKey(key), former);
  }

  /** True if the former item of a record was read, even if there is none. */
  isFormerRead(owner: RecordName): boolean {
    return this.#formers.has(nameOfKey(this.#formerKeyOf(owner)));
  }

  /** Revision of the former item of a record; undefined if it was not read or does not exist. */
  revisionOfFormer(owner: RecordName): number | undefined {
    return this.#formers.get(nameOfKey(this.#formerKeyOf(owner)))?.before.revision;
  }

  /**
   * Gives the write's revision to a former item that was read, in any case. If the last member leaves, the item stays
   * until `expiresAtSecond`.
   */
  keepFormer(owner: RecordName, expiresAtSecond: number): void {
    const former = this.#formers.get(nameOfKey(this.#formerKeyOf(owner)));
    if (former) former.expiresAtSecond = expiresAtSecond;
  }

  /** Adds a member and returns its rank. @throws Error if the list has an owner that does not exist */
  join(list: List): number {
    if (list.owner && !list.hasManyNames && !this.#liveOwner(list, list.owner))
      throw new Error(`A record joins a list of ${list.collection} whose owner is not there`);
    const before = this.#stateOf(list) ?? emptyList;
    const state = withNext(before);
    this.#setState(list, state);
    if (!hasCounts(before) && hasCounts(state)) this.#grown.set(list.partition, list);
    return state.last;
  }

  /** Removes the member with this rank. Does nothing if the list has no state. */
  leave(list: List, rank: number): void {
    const before = this.#stateOf(list);
    if (!before) return;
    this.#setState(list, withLeft(before, rank));
    const ranks = this.#leaving.get(list.partition)?.ranks ?? [];
    this.#leaving.set(list.partition, { list, ranks: [...ranks, rank] });
  }

  /**
   * The operations that store former items, states, holes and counts; and the keys of the holes and counts of lists
   * that end. A list of several hundred thousand members has more of these keys than fit into a transaction. The items
   * that stay contain no personal data, and nothing reads them. `organization verify --all` finds them, and removes them
   * with `--repair --yes`. `revision`: the write's revision.
   */
  changesAt(revision: number): { operations: TransactOperation[]; keysOfEnded: Key[] } {
    const ended: EndedLists = new Map();
    // Former items come first: they decide which lists end.
    const formers = [
      ...this.#records.changed.flatMap((change) =>
        change.after === 'removed' ? this.#createFormer(change, revision, ended) : [],
      ),
      ...[...this.#formers.values()].flatMap((former) =>
        former ? this.#updateFormer(former, revision, ended) : [],
      ),
    ];
    const { tableName } = this.#target;
    const states = [...this.#stateItems].flatMap(([partition, item]) =>
      storeState(tableName, partition, item),
    );
    // DynamoDB accepts one operation per item, and the holes of ended lists are deleted.
    const holes = [...this.#leaving].flatMap(([partition, { list, ranks }]) =>
      ended.has(partition) ? [] : addHoles(tableName, partition, ranks, this.#stateOf(list)),
    );
    const counts = [...this.#grown].flatMap(([partition, list]) => {
      const { left } = this.#stateOf(list) ?? emptyList;
      // All holes are in the first bucket. If members leave now, `addHoles` creates the counts.
      if (left === 0 || ended.has(partition) || this.#leaving.has(partition)) return [];
      return [{ Put: { TableName: tableName, Item: { ...countsKey(partition), left } } }];
    });
    const keysOfEnded = [...ended].flatMap(([partition, list]) =>
      storedKeysOf(partition, this.#stateOf(list) ?? emptyList, this.#leaving.get(partition)?.ranks ?? []),
    );
    return { operations: [...formers, ...states, ...holes, ...counts], keysOfEnded };
  }

  /** Undefined if the list's owner is gone and left no former item: then the list has no members. */
  #stateOf(list: List): ListState | undefined {
    const item = this.#stateItems.get(list.partition);
    if (item) return item.state;
    if (!list.owner) return this.#head.stateOf(list);
    const owner = this.#ownerOf(list, list.owner);
    return owner && parseState(owner.owned[stateName(list)]);
  }

  #setState(list: List, state: ListState): void {
    const item = this.#stateItems.get(list.partition);
    if (item) item.state = state;
    else if (!list.owner) this.#head.setState(list, state);
    else {
      const owner = this.#ownerOf(list, list.owner);
      if (!owner) return;
      owner.owned = { ...owner.owned, [stateName(list)]: formatState(state) };
      if ('collection' in owner && owner.after === undefined) this.#records.rewrite(owner);
    }
  }

  /**
   * The record or former item that has a list's state; undefined if the owner is gone and left no former
   * item.
   */
  #ownerOf(list: ListKey, owner: RecordName): RecordChange | FormerOwner | undefined {
    const live = this.#liveOwner(list, owner);
    if (live) return live;
    const name = nameOfKey(this.#formerKeyOf(owner));
    if (!this.#formers.has(name))
      throw new Error(
        `A list of ${listName(list)} changes, and the former item of its ${owner.collection} was not read`,
      );
    return this.#formers.get(name);
  }

  #liveOwner(list: ListKey, owner: RecordName): RecordChange | undefined {
    const change = this.#records.find(owner);
    if (!change && !this.#records.isAbsent(owner))
      throw new Error(
        `A list of ${listName(list)} changes, and its ${owner.collection} was not read to change`,
      );
    return change;
  }

  #formerKeyOf({ collection, number }: RecordName): Key {
    return formerKey(this.#target.organization, collection, number);
  }

  /** Creates the former item of a record that this write removes. */
  #createFormer(
    { collection, number, owned }: RecordChange,
    revision: number,
    ended: EndedLists,
  ): TransactOperation[] {
    const owner = { collection: collection.name, number };
    const lists = withoutEvents(owned);
    if (countMembers(lists) === 0) {
      this.#end(owner, lists, ended);
      return [];
    }
    const Item = { lists, revision, ...this.#formerKeyOf(owner) };
    // No condition: the transaction proves that the record exists, and no other record gets its number. An item under
    // this key can only be a leftover, such as of a restore. A condition would refuse the removal for ever.
    return [{ Put: { TableName: this.#target.tableName, Item } }];
  }

  /**
   * Updates a former item that an earlier write created. If the last member has left, deletes the item, or empties the
   * item if it must be kept.
   */
  #updateFormer(
    { owner, key, before, owned, expiresAtSecond }: FormerOwner,
    revision: number,
    ended: EndedLists,
  ): TransactOperation[] {
    if (owned === before.owned && expiresAtSecond === undefined) return [];
    const TableName = this.#target.tableName;
    const asRead = revisionUnchanged(before.revision);
    if (countMembers(owned) > 0)
      return [{ Put: { TableName, Item: { ...before.item, lists: owned, revision, ...key }, ...asRead } }];
    this.#end(owner, owned, ended);
    if (expiresAtSecond !== undefined)
      return [{ Put: { TableName, Item: { lists: {}, revision, expiresAtSecond, ...key }, ...asRead } }];
    return [{ Delete: { TableName, Key: key, ...asRead } }];
  }

  /** Ends the lists of a removed record. */
  #end(owner: RecordName, owned: ListStates, ended: EndedLists): void {
    for (const name of Object.keys(owned)) {
      const key = parseStateName(name);
      if (!key) continue;
      const list = listWithKey(this.#target.organization, { ...key, owner });
      ended.set(list.partition, list);
    }
  }
}

/**
 * The states without lists of events. Events never leave their lists, so `readPage` needs no state of a removed owner.
 */
const withoutEvents = (owned: ListStates): ListStates =>
  Object.fromEntries(
    Object.entries(owned).filter(([name]) => parseStateName(name)?.collection !== events.name),
  );

const countMembers = (owned: ListStates): number =>
  Object.values(owned).reduce((sum, state) => sum + lengthOf(parseState(state)), 0);

function storeState(TableName: string, partition: string, { before, state }: StateItem): TransactOperation[] {
  const after = formatState(state);
  if (after === (before ?? formatState(emptyList))) return [];
  const condition = before === undefined ? listStateDoesNotExist : listStateUnchanged(before);
  return [
    {
      Update: {
        TableName,
        Key: stateKey(partition),
        UpdateExpression: 'SET #state = :after',
        ...condition,
        ExpressionAttributeValues: { ':after': after, ...condition.ExpressionAttributeValues },
      },
    },
  ];
}

/** Adds holes to their buckets, and to the counts by bucket if the list has counts. */
function addHoles(
  tableName: string,
  partition: string,
  ranks: readonly number[],
  state: ListState | undefined,
): TransactOperation[] {
  const positions = ranks.map(bucketPositionOf);
  const holes = [...Map.groupBy(positions, ({ bucket }) => bucket)].map(([bucket, inBucket]) => {
    const offsets = inBucket.map(({ offset }) => offset);
    return increment(tableName, holesKey(partition, bucket), increments(holeBits, offsets));
  });
  if (!state || !hasCounts(state)) return holes;
  const buckets = positions.map(({ bucket }) => bucket);
  return [...holes, increment(tableName, countsKey(partition), increments(countBits, buckets), state.left)];
}

function increment(
  TableName: string,
  Key: Key,
  words: ReadonlyMap<string, number>,
  left?: number,
): TransactOperation {
  const names = [...words.keys()];
  const added = names.map((_, at) => `#w${at} :w${at}`).join(', ');
  return {
    Update: {
      TableName,
      Key,
      UpdateExpression: `ADD ${added}${left === undefined ? '' : ' SET #left = :left'}`,
      ExpressionAttributeNames: {
        ...Object.fromEntries(names.map((name, at) => [`#w${at}`, name])),
        ...(left !== undefined && { '#left': 'left' }),
      },
      ExpressionAttributeValues: {
        ...Object.fromEntries([...words.values()].map((value, at) => [`:w${at}`, value])),
        ...(left !== undefined && { ':left': left }),
      },
    },
  };
}

/** Keys of an empty list's stored items: the buckets with holes from before this write, and the counts. */
function storedKeysOf(partition: string, state: ListState, leaving: readonly number[]): Key[] {
  const keys: Key[] = [];
  for (let bottom = 1, bucket = 0; bottom <= state.last; bottom += bucketSize, bucket++) {
    const given = Math.min(bucketSize, state.last - bottom + 1);
    const now = leaving.filter((rank) => bucketPositionOf(rank).bucket === bucket).length;
    if (given > now) keys.push(holesKey(partition, bucket));
  }
  if (hasCounts(state) && state.left > leaving.length) keys.push(countsKey(partition));
  return keys;
}
