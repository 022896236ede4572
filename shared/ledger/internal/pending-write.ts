import * as v from 'valibot';
import { recordId } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import { events, type Collection, type RecordOf, type RecordRef, type UniqueValue } from './collection.ts';
import type { Grant } from './grant.ts';
import { hashedWith, newHashKey } from './hash-key.ts';
import { stateIn, withRevision, withState, type Head } from './head.ts';
import {
  grantKey,
  headKey,
  listIndexes,
  listName,
  nameOfKey,
  numberKey,
  parseListPartition,
  recordKey,
  type Key,
  type ListIndex,
  type ListKey,
} from './keys.ts';
import { ListChanges, type StateKeeper } from './list-changes.ts';
import { formatState, lengthOf, parseState, type ListState } from './list-state.ts';
import { listOfAll, placeIn, type List, type Place } from './lists.ts';
import { NumberClaims, organizationIn } from './number-claims.ts';
import type { IdOf } from './reading.ts';
import {
  afterOf,
  knownIndexes,
  listsAfter,
  newRecord,
  recordStep,
  storedRecord,
  type RecordChange,
} from './record-change.ts';
import { parseRecord } from './stored-record.ts';
import type { TransactItem } from './table-client.ts';
import { heldValues, keysOfValue, nextValues, UniqueChanges, type Step } from './unique-values.ts';
import type { Appended, NewEvent, Write } from './write.ts';

/** A record's place in the list of one index, before a write and after it. */
interface Move {
  change: RecordChange;
  index: ListIndex;
  from: Place | undefined;
  to: List | undefined;
}

/** What a write asks of the world while it is built. */
export interface Means {
  /** Reads the item of a record. */
  readItem: (ref: RecordRef) => Promise<Item | undefined>;
  /** Reads items by one serializable read, by the names of their keys. */
  snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>;
  randomBytes: (size: number) => Uint8Array;
}

/** DynamoDB's limit on one transaction. */
const maxSteps = 100;

/**
 * Collects a write and turns it into a transaction, which checks everything the write relies on: the head's
 * version, the revision of each replaced or removed record, that a new record is new, and that a unique value
 * is free or held as read. Each condition is on an item that is written anyway, so it costs nothing.
 */
export class PendingWrite implements Write {
  readonly now: string;
  readonly #tableName: string;
  readonly #caller: Caller;
  readonly #means: Means;
  readonly #seen: Head;
  #head: Head;
  /** A new key for hashes, which the head gets with whatever this write stores. */
  #newHashKey: string | undefined;
  /** By key: DynamoDB takes one operation per item. */
  readonly #records = new Map<string, RecordChange>();
  /** Records that were read and do not exist. */
  readonly #absent = new Set<string>();
  readonly #uniques: UniqueChanges;
  readonly #lists: ListChanges;
  readonly #grants = new Map<string, TransactItem>();
  readonly #numbers: NumberClaims;
  readonly #storedItems = new Map<string, Item>();
  #knownMoves: readonly Move[] | undefined;
  #areMembersMoved = false;

  constructor(
    tableName: string,
    caller: Caller,
    { head, now, means }: { head: Head; now: string; means: Means },
  ) {
    this.#tableName = tableName;
    this.#caller = caller;
    this.#means = means;
    this.#seen = head;
    this.#head = head;
    this.#uniques = new UniqueChanges(tableName);
    this.#numbers = new NumberClaims(tableName, caller.organization);
    const keeper: StateKeeper = {
      stateOf: (partition) => this.#stateOf(this.#parsed(partition)),
      keep: (partition, state) => {
        this.#keepState(this.#parsed(partition), state);
      },
    };
    this.#lists = new ListChanges(tableName, keeper);
    this.now = now;
  }

  get country(): string {
    return this.#head.country;
  }

  /** The head as it will be. */
  get head(): Head {
    return this.#head;
  }

  count({ name }: Collection): number {
    return lengthOf(stateIn(this.#head, name));
  }

  next({ name, prefix }: Collection): { number: number; id: string } {
    const number = stateIn(this.#head, name).last + 1;
    const id = prefix === undefined ? String(number) : recordId(prefix, this.#caller.organization, number);
    return { number, id };
  }

  /** Notes a record that was read to change it; undefined if it does not exist. */
  hasRead(
    { collection, number }: RecordRef,
    item: Item | undefined,
    { mayStay = false }: { mayStay?: boolean } = {},
  ): void {
    const key = recordKey(this.#caller.organization, collection.name, number);
    if (item === undefined) this.#absent.add(nameOfKey(key));
    else
      this.#records.set(nameOfKey(key), {
        ...storedRecord(key, { collection, number }, item),
        ...(mayStay && { mayStay }),
      });
  }

  async read<C extends Collection>(
    ref: RecordRef<C>,
    options: { mayStay?: boolean } = {},
  ): Promise<RecordOf<C> | undefined> {
    const { collection, number } = ref;
    const name = nameOfKey(recordKey(this.#caller.organization, collection.name, number));
    const isKnown = () => this.#records.has(name) || this.#absent.has(name);
    if (!isKnown()) {
      const item = await this.#means.readItem(ref);
      // Unless it was read twice at once.
      if (!isKnown()) this.hasRead(ref, item, options);
    }
    const { before, after } = this.#records.get(name) ?? {};
    if (after === 'removed') return undefined;
    if (after) return v.parse(collection.schema, after.record);
    return before && parseRecord(collection, before.item);
  }

  holderOf<C extends Collection>(collection: C, unique: UniqueValue): Promise<IdOf<C> | undefined>;
  holderOf(collection: Collection, unique: UniqueValue): Promise<string | number | undefined> {
    const keys = keysOfValue(this.#caller.organization, collection, unique);
    return this.#uniques.holderOf(keys, this.#means.snapshot);
  }

  get hasHashKey(): boolean {
    return (this.#head.hashKey ?? this.#newHashKey) !== undefined;
  }

  hashed(text: string): string {
    const { hashKey = (this.#newHashKey ??= newHashKey(this.#means.randomBytes)) } = this.#head;
    return hashedWith(hashKey, text);
  }

  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
  ): Appended<C> {
    const as = this.next(collection);
    this.#lists.join(listOfAll(this.#caller.organization, collection).partition);
    const record = build(as);
    const ref = { collection, number: as.number };
    this.#moveUniques(collection, this.#add(ref, record), record);
    return { ref, record };
  }

  replace<C extends Collection>(ref: RecordRef<C>, record: RecordOf<C>): void {
    const change = this.#recordAt(ref);
    this.#moveUniques(ref.collection, change, record);
    change.after = afterOf(ref.collection, record);
  }

  remove<C extends Collection>(ref: RecordRef<C>): void {
    const change = this.#recordAt(ref);
    this.#moveUniques(ref.collection, change, undefined);
    change.after = 'removed';
    this.#lists.leave(listOfAll(this.#caller.organization, ref.collection).partition, ref.number);
  }

  event(event: NewEvent, of: readonly RecordRef[] = []): void {
    const id = this.#head.version + 1;
    this.#head = { ...this.#head, version: id };
    const record = { id, ...event, userId: this.#caller.userId, createdAt: this.now };
    this.#add({ collection: events, number: id }, record).eventOf = of;
  }

  grant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.#putGrant(tokenHash, grant, { ConditionExpression: 'attribute_not_exists(pk)' });
  }

  regrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    // A deleted grant must not come back.
    this.#putGrant(tokenHash, grant, {
      ConditionExpression: 'organization = :organization',
      ExpressionAttributeValues: { ':organization': this.#caller.organization },
    });
  }

  revoke(tokenHash: string): void {
    const Key = grantKey(tokenHash);
    // No condition: revoking a token must never fail.
    this.#grants.set(nameOfKey(Key), { Delete: { TableName: this.#tableName, Key } });
  }

  claimNumber(phone: string): void {
    this.#numbers.claim(phone);
  }

  async holdsNumber(phone: string): Promise<boolean> {
    const key = numberKey(phone);
    const item = (await this.#means.snapshot([key])).get(nameOfKey(key));
    return item !== undefined && organizationIn(item) === this.#caller.organization;
  }

  releaseNumber(phone: string): void {
    this.#numbers.release(phone);
  }

  /** The items of the records that it stores, by the names of their keys; there once `steps` was called. */
  get storedItems(): ReadonlyMap<string, Item> {
    return this.#storedItems;
  }

  /** Whether nothing was changed, so that there is nothing to store. */
  get isEmpty(): boolean {
    const isAlone = this.#grants.size === 0 && this.#numbers.isEmpty;
    return this.#head === this.#seen && this.#changes.length === 0 && isAlone;
  }

  /**
   * The partitions of changed lists whose state is an item: `hasReadList` must be called for each before
   * `steps`.
   */
  get listsToRead(): string[] {
    const partitions = this.#moves.flatMap(({ change: { collection }, index, from, to }) => {
      const kind = Object.values(collection.lists ?? {})[listIndexes.indexOf(index)];
      const [before, after] = [from?.partition, to?.partition];
      return kind?.hasManyNames && before !== after ? [before ?? [], after ?? []].flat() : [];
    });
    return [...new Set(partitions)];
  }

  /** Notes the state item of a list; undefined if there is none. */
  hasReadList(partition: string, item: Item | undefined): void {
    this.#lists.hasRead(partition, item);
  }

  /**
   * The operations of the transaction, the head first. Add nothing after this call.
   * @throws Error if the write has no event, too many operations, or a record that was read to change and is
   * not changed
   */
  steps(withQueueEstimate: (head: Head) => Head = (head) => head): Step[] {
    if (this.#head.version === this.#seen.version) throw new Error('A write without an event');
    this.#moveMembers();
    this.#head = withQueueEstimate(this.#head);
    if (this.#newHashKey !== undefined) this.#head = { ...this.#head, hashKey: this.#newHashKey };
    const unchanged = [...this.#records.values()].find(
      ({ after, mayStay }) => after === undefined && !mayStay,
    );
    if (unchanged)
      throw new Error(`A record of ${unchanged.key.pk} was read to change and is not: read it as a check`);
    const { organization } = this.#caller;
    const { version: revision } = this.#head;
    const records = this.#changes.map((change) => {
      const operation = recordStep(change, { tableName: this.#tableName, organization, revision });
      if (operation.Put?.Item) this.#storedItems.set(nameOfKey(change.key), operation.Put.Item);
      return operation;
    });
    for (const { collection, after } of this.#changes) {
      if (!collection.hasOneBusyRecord) continue;
      this.#head = withRevision(this.#head, collection.name, after === 'removed' ? undefined : revision);
    }
    const operations = [this.#advanceHead(), ...records, ...this.#grants.values()];
    const steps = [
      ...operations.map((operation) => ({ operation })),
      ...this.#uniques.steps(),
      ...this.#numbers.steps(),
      ...this.#lists.steps().map((operation) => ({ operation })),
    ];
    if (steps.length > maxSteps) throw new Error(`A write of more than ${maxSteps} items`);
    return steps;
  }

  get #changes(): RecordChange[] {
    return [...this.#records.values()].filter(({ after }) => after !== undefined);
  }

  /** The changed records' places in lists, before and after, in the order of the write. Asked for when it is built. */
  get #moves(): readonly Move[] {
    this.#knownMoves ??= this.#changes.flatMap((change) => {
      const lists = listsAfter(this.#caller.organization, change);
      const indexes =
        change.after === 'removed' ? this.#indexesLeft(change) : knownIndexes(change.collection);
      return indexes.map((index) => ({
        change,
        index,
        from: change.before && placeIn(change.before.item, index),
        to: lists.get(index),
      }));
    });
    return this.#knownMoves;
  }

  /**
   * The indexes whose lists a removed record leaves: also those that only a newer version of the code knows, where the
   * head has the list's state.
   */
  #indexesLeft({ collection, before }: RecordChange): ListIndex[] {
    const known = knownIndexes(collection);
    return listIndexes.filter((index) => {
      if (known.includes(index)) return true;
      const place = before && placeIn(before.item, index);
      const key = place && parseListPartition(this.#caller.organization, place.partition);
      return key !== undefined && key.owner === undefined && listName(key) in this.#head.lists;
    });
  }

  /** Gives those that join a list their ranks, and notes those that leave one. */
  #moveMembers(): void {
    if (this.#areMembersMoved) return;
    this.#areMembersMoved = true;
    for (const { change, index, from, to } of this.#moves) {
      if (from?.partition === to?.partition) continue;
      if (!from && to && this.#staysOut(change, index, to)) continue;
      if (from) {
        this.#lists.leave(from.partition, from.rank);
        change.places.delete(index);
      }
      if (to && !to.hasManyNames && this.#isOwnerGone(to))
        throw new Error(`A record joins a list of ${change.collection.name} whose owner is not there`);
      if (to) change.places.set(index, { partition: to.partition, rank: this.#lists.join(to.partition) });
    }
  }

  /**
   * Whether a record stays out of a list of an owner: it was stored by a version of the code that knew no such list, and
   * this write does not move it, so need not have read the owner. A repair puts it there.
   */
  #staysOut(change: RecordChange, index: ListIndex, { partition, hasManyNames }: List): boolean {
    const { collection, before } = change;
    if (!before || hasManyNames || !this.#parsed(partition).owner) return false;
    const after = afterOf(collection, parseRecord(collection, before.item));
    return listsAfter(this.#caller.organization, { ...change, after }).get(index)?.partition === partition;
  }

  #parsed(partition: string): ListKey {
    const key = parseListPartition(this.#caller.organization, partition);
    if (!key) throw new Error(`${partition} is no list of the organization`);
    return key;
  }

  #stateOf(key: ListKey): ListState {
    if (key.owner) return parseState(this.#ownerOf(key)?.owned[listName(key)]);
    return stateIn(this.#head, listName(key));
  }

  #keepState(key: ListKey, state: ListState): void {
    if (!key.owner) {
      this.#head = withState(this.#head, listName(key), state);
      return;
    }
    const owner = this.#ownerOf(key);
    // The list went with its owner.
    if (!owner) return;
    owner.owned = { ...owner.owned, [listName(key)]: formatState(state) };
    if (owner.after !== undefined) return;
    const record = parseRecord(owner.collection, owner.before?.item ?? {});
    // The values stay, but `held` must be known.
    this.#moveUniques(owner.collection, owner, record);
    owner.after = afterOf(owner.collection, record);
  }

  #isOwnerGone({ partition }: List): boolean {
    const key = this.#parsed(partition);
    return key.owner !== undefined && this.#ownerOf(key) === undefined;
  }

  /** The record that owns a list; undefined if it was read and does not exist. */
  #ownerOf({ owner, ...list }: ListKey): RecordChange | undefined {
    if (!owner) return undefined;
    const key = nameOfKey(recordKey(this.#caller.organization, owner.collection, owner.number));
    const change = this.#records.get(key);
    if (!change && !this.#absent.has(key))
      throw new Error(
        `A list of ${listName(list)} changes, and its ${owner.collection} was not read to change`,
      );
    return change;
  }

  #advanceHead(): TransactItem {
    return {
      Put: {
        TableName: this.#tableName,
        Item: { ...this.#head, ...headKey(this.#caller.organization) },
        // The refusal then contains the winner's head, which saves reading it.
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...(this.#seen.version === 0
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'version = :seen',
              ExpressionAttributeValues: { ':seen': this.#seen.version },
            }),
      },
    };
  }

  #putGrant(tokenHash: string, grant: Omit<Grant, 'organization'>, condition: object): void {
    const key = grantKey(tokenHash);
    const Item = { ...grant, organization: this.#caller.organization, ...key };
    this.#grants.set(nameOfKey(key), { Put: { TableName: this.#tableName, Item, ...condition } });
  }

  #add<C extends Collection>(ref: RecordRef<C>, record: RecordOf<C>): RecordChange {
    const key = recordKey(this.#caller.organization, ref.collection.name, ref.number);
    const change = newRecord(key, ref, record);
    this.#records.set(nameOfKey(key), change);
    return change;
  }

  /** @throws Error for a record that this write has neither appended nor read. */
  #recordAt({ collection, number }: RecordRef): RecordChange {
    const change = this.#records.get(
      nameOfKey(recordKey(this.#caller.organization, collection.name, number)),
    );
    if (!change || change.after === 'removed')
      throw new Error('A write changes a record that it has not read');
    return change;
  }

  /** Moves the unique values of a record to what it becomes; undefined where it is removed. */
  #moveUniques<C extends Collection>(
    collection: C,
    change: RecordChange,
    record: RecordOf<C> | undefined,
  ): void {
    if (!collection.uniques) return;
    const { organization } = this.#caller;
    const item = change.before?.item;
    const had =
      change.held ??
      (item ? heldValues(organization, collection, v.parse(collection.schema, item), item) : []);
    const has = record ? nextValues(organization, collection, record, had) : [];
    this.#uniques.move(collection, had, has);
    change.held = has;
  }
}
