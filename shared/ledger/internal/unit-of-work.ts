import * as v from 'valibot';
import { newEpoch, recordId } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { bookedIn, dayOperation, daysBetween, type Booked } from './booked.ts';
import type { Caller } from './caller.ts';
import {
  events,
  type Collection,
  type LedgerEvent,
  type ListKindName,
  type RecordOf,
  type RecordRef,
  type UniqueValue,
} from './collection.ts';
import { headDoesNotExist, headVersionUnchanged } from './conditions.ts';
import { hashedWith, newHashKey } from './hash-key.ts';
import { namedIn, stateIn, withNamed, withRevision, withState, type Head } from './head.ts';
import { keepRequest, type KeptRecord, type KeptRequest, type KeyedRequest } from './keyed-request.ts';
import {
  bookedKey,
  erasedKey,
  headKey,
  nameOfKey,
  phoneNumberKey,
  recordKey,
  stateKey,
  type Key,
} from './keys.ts';
import { secondAfterDays } from './expiry.ts';
import { ListChanges } from './list-changes.ts';
import { lengthOf } from './list-state.ts';
import { indexOfKind, lengthsOwned, listOfAll } from './lists.ts';
import { moveMembers, movesOf, stateItemsOf, type Move } from './member-moves.ts';
import {
  addCursor,
  addGrant,
  claimPhoneNumber,
  erasedAt,
  noteErased,
  organizationOwning,
  raiseDayCount,
  releasePhoneNumber,
  replaceGrant,
  revokeGrant,
  type DayCount,
  type NewGrant,
} from './other-items.ts';
import type { IdOf, ReadSetReader } from './read-set.ts';
import { RecordChanges, recordOperation, type RecordChange } from './record-changes.ts';
import { parseRecord } from './stored-record.ts';
import type { WriteOperation, WriteTarget } from './table-client.ts';
import { formatTouchedRecords, shownRecords } from './touched-records.ts';

/** DynamoDB's limit on one transaction. */
export const maxOperations = 100;

/** Number of operations that `remainingItems` reserves for the holes and counts of lists. */
const operationsForHoles = 10;

type NewEvent = Pick<LedgerEvent, 'event' | 'data' | 'values' | 'referenceId'>;

/** A record that a write appended. */
interface Appended<C extends Collection> {
  ref: RecordRef<C>;
  record: RecordOf<C>;
}

/** The transaction of one write. */
export interface Transaction {
  /** The operations. The first operation stores the head. */
  operations: WriteOperation[];
  /** The head that the transaction stores. */
  head: Head;
  /** The items of records that the transaction stores, by `nameOfKey`. */
  items: ReadonlyMap<string, Item>;
  /** Content of the item of the caller's request; undefined if the transaction does not store the item. */
  kept: KeptRequest | undefined;
}

/** The start of a write, and the reads that are possible while the write is built. */
interface WriteStart {
  tableName: string;
  head: Head;
  now: string;
  /** Version after the last write of the same ledger, which has reached all of its items. */
  ownVersion: number;
  reads: Pick<ReadSetReader, 'item' | 'former' | 'snapshot' | 'settleRemovals'>;
  randomBytes: (size: number) => Uint8Array;
}

/**
 * Collects one change of an organization, which the ledger stores in one transaction or not at all. If
 * another writer was faster, the change is built again on newer records. Lists and unique values follow from
 * the records' collections.
 */
export class UnitOfWork {
  /** Time of the change, in the API's format. */
  readonly now: string;
  readonly #caller: Caller;
  readonly #target: WriteTarget;
  readonly #start: WriteStart;
  #head: Head;
  readonly #questions: ((head: Head) => number | boolean)[] = [];
  /** A new key for hashes, which this write stores in the head. */
  #newHashKey: string | undefined;
  readonly #records: RecordChanges;
  readonly #lists: ListChanges;
  /** Operations by token hash, phone number and cursor: DynamoDB takes one operation per item. */
  readonly #otherItems = new Map<string, WriteOperation>();
  /** Operations by the count's kind and name. */
  readonly #dayCounts = new Map<string, WriteOperation>();
  readonly #kept: Omit<KeptRecord, 'revision'>[] = [];
  #note: string | undefined;
  #moves: readonly Move[] | undefined;
  /** Items of booked days that were read, by day; undefined if the day has no item. */
  readonly #days = new Map<string, Item | undefined>();

  constructor(caller: Caller, start: WriteStart) {
    this.now = start.now;
    this.#caller = caller;
    this.#target = { tableName: start.tableName, organization: caller.organization };
    this.#start = start;
    this.#head = start.head;
    this.#records = new RecordChanges(this.#target);
    this.#lists = new ListChanges(this.#target, this.#records, {
      stateOf: (name) => stateIn(this.#head, name),
      setState: (name, state) => {
        this.#head = withState(this.#head, name, state);
      },
    });
  }

  /** Number of the organization's newest event, including this write so far. */
  get version(): number {
    return this.#ask(({ version }) => version);
  }

  /** Country of the organization, for reading national phone numbers. */
  get country(): string {
    return this.#head.country;
  }

  /** Number of live records of a collection once the write is stored. */
  count({ name }: Collection): number {
    return this.#ask((head) => lengthOf(stateIn(head, name)));
  }

  /** The number and the public id of the next record of a collection, for a record that refers to it. */
  next({ name, prefix }: Collection): { number: number; id: string } {
    const number = stateIn(this.#head, name).last + 1;
    const id = prefix === undefined ? String(number) : recordId(prefix, this.#caller.organization, number);
    return { number, id };
  }

  /** True if a record with this number exists or existed. No call: the head has the last number given out. */
  hasExisted({ collection, number }: RecordRef): boolean {
    return this.#ask((head) => number <= stateIn(head, collection.name).last);
  }

  /** Answers a question about the head, with the changes of this write so far. */
  #ask<T extends number | boolean>(question: (head: Head) => T): T {
    this.#questions.push(question);
    return question(this.#head);
  }

  /** True if this write has asked a question about the head. A refusal may depend on the answer alone. */
  get hasAskedHead(): boolean {
    return this.#questions.length > 0;
  }

  /** True if a newer head gives the same answers to the questions of this write. */
  isAnsweredBy(head: Head): boolean {
    return this.#questions.every((question) => question(head) === question(this.#start.head));
  }

  /**
   * Number of items that can still be added to the transaction. DynamoDB's limit is 100. The items of the head,
   * records, unique values, days that records book, grants, phone numbers, daily counts and the caller's request are
   * counted. Ten items are reserved for the holes of lists. A record that leaves lists can need three items for each
   * list, so a write that removes many records must count these items itself.
   */
  get remainingItems(): number {
    const request = this.#caller.request ? 1 : 0;
    const others = this.#records.size + this.#otherItems.size + this.#dayCounts.size + request;
    return Math.max(0, maxOperations - operationsForHoles - 1 - others);
  }

  /**
   * Reads a record that the write will change. Use it when the id is known only after another read. Returns undefined
   * if the record does not exist. One round trip, or none for a record that this write has read. The transaction checks
   * that no other write has changed the record since. With `mayStayUnchanged` the write may leave the record unchanged;
   * the transaction then does not check the record.
   */
  async read<C extends Collection>(
    ref: RecordRef<C>,
    options: { mayStayUnchanged?: boolean } = {},
  ): Promise<RecordOf<C> | undefined> {
    if (!this.#records.isKnown(ref)) {
      const item = await this.#start.reads.item(ref, this.#start.head);
      // A concurrent `read` of the same record may have added it.
      if (!this.#records.isKnown(ref)) this.#records.addRead(ref, item, options);
    }
    return this.#records.current(ref);
  }

  /**
   * Reads a record that the write does not change, in the same way as `ReadSet.check`. Use it when the id is known only
   * after another read. Returns undefined if the record does not exist. One round trip, a serializable read.
   */
  async check<C extends Collection>({ collection, number }: RecordRef<C>): Promise<RecordOf<C> | undefined> {
    const key = recordKey(this.#caller.organization, collection.name, number);
    const item = (await this.#start.reads.snapshot([key])).get(nameOfKey(key));
    return item && parseRecord(collection, item);
  }

  /**
   * All records of a collection that the domain keeps small, before this write. Read in the same way as `check`. No
   * record is left out, because the head has the last number. One round trip, a serializable read for each hundred
   * numbers.
   */
  async checkAll<C extends Collection>(collection: C): Promise<RecordOf<C>[]> {
    const { last } = stateIn(this.#start.head, collection.name);
    const { organization } = this.#caller;
    const keys = Array.from({ length: last }, (_, at) => recordKey(organization, collection.name, at + 1));
    const items = await this.#start.reads.snapshot(keys);
    return [...items.values()].map((item) => parseRecord(collection, item));
  }

  /**
   * All bookings on the days (UTC) that a span touches, before this write. Each booking comes once, by start and
   * number. Bookings that overlap the span only with their buffers are included. Times are ISO 8601, and `to` is not
   * part of the span. One round trip, a serializable read, or none for days that this write has read.
   */
  async readBooked(from: string, to: string): Promise<Booked[]> {
    const days = daysBetween(from, to);
    const keys = days.filter((day) => !this.#days.has(day)).map((day) => this.#keyOfDay(day));
    const items = keys.length === 0 ? new Map<string, Item>() : await this.#start.reads.snapshot(keys);
    for (const key of keys) this.#days.set(key.sk, items.get(nameOfKey(key)));
    return bookedIn(days.map((day) => [day, this.#days.get(day)]));
  }

  #keyOfDay(day: string): Key {
    return bookedKey(this.#target.organization, day);
  }

  /**
   * A record that this write has read or appended, with the changes so far; undefined if it does not exist.
   * No call. @throws Error for a record that this write has not read
   */
  current<C extends Collection>(ref: RecordRef<C>): RecordOf<C> | undefined {
    return this.#records.current(ref);
  }

  /**
   * True if lists that a removed record owned still have members. Call it before a member leaves such a list. One round
   * trip, or two if the record has no former item. The transaction checks the former item if the item changes.
   *
   * With `settled`, waits until all records are gone that the last write of the former item removed. Two round trips
   * more, unless that write was the last write of this ledger. Plain reads can show these records for seconds after the
   * write. The former item then outlives its last member by a day, so that a later call can wait for the last write,
   * too.
   */
  async readFormer(ref: RecordRef, { settled = false } = {}): Promise<boolean> {
    const owner = { collection: ref.collection.name, number: ref.number };
    if (!this.#lists.isFormerRead(owner)) {
      const item = await this.#start.reads.former(ref);
      // A concurrent `readFormer` of the same record may have added it.
      if (!this.#lists.isFormerRead(owner)) this.#lists.addFormer(owner, item);
    }
    const revision = this.#lists.revisionOfFormer(owner);
    if (revision === undefined) return false;
    // A former item proves that the record was removed.
    this.#records.addRead(ref, undefined);
    if (settled) {
      if (revision !== this.#start.ownVersion) await this.#start.reads.settleRemovals(revision);
      this.#lists.keepFormer(owner, secondAfterDays(Date.parse(this.now), 1));
    }
    return true;
  }

  /**
   * Number of members of the lists of one kind that a record owns. This write must have read the record. If
   * the write removes the record but not all these members, the ledger keeps a former item. The transaction
   * checks the number if it removes the record. No call. @throws Error for a record that does not exist
   */
  membersOf<C extends Collection>(ref: RecordRef, collection: C, kind: ListKindName<C>): number {
    const lengths = lengthsOwned(this.#records.ownedBy(ref), collection, kind);
    return [...lengths.values()].reduce((sum, length) => sum + length, 0);
  }

  /**
   * Finds the public id of the live record that holds a unique value. Use it when the value is known only after another
   * read. Returns undefined if no record holds it. One round trip, a serializable read as for `ReadSet.holders`. The
   * result includes the values that this write has claimed and released.
   */
  holderOf<C extends Collection>(collection: C, unique: UniqueValue): Promise<IdOf<C> | undefined> {
    return this.holdersOf(collection, [unique]).then(([holder]) => holder);
  }

  /**
   * Finds the holders of several values as `holderOf` does, in their order. One serializable read for each
   * hundred keys.
   */
  holdersOf<C extends Collection>(
    collection: C,
    uniques: readonly UniqueValue[],
  ): Promise<(IdOf<C> | undefined)[]>;
  holdersOf(
    collection: Collection,
    uniques: readonly UniqueValue[],
  ): Promise<(string | number | undefined)[]> {
    return this.#records.uniques.holdersOf(collection, uniques, (keys) => this.#start.reads.snapshot(keys));
  }

  /**
   * True if the organization has its hash key. If there is no key, `hashed` creates a key. Hashes with an earlier key
   * cannot be found with the new key.
   */
  get hasHashKey(): boolean {
    return (this.#head.hashKey ?? this.#newHashKey) !== undefined;
  }

  /**
   * HMAC-SHA256 of a text with the organization's secret key, base64url. The same text has the same hash in
   * one organization, and another hash in any other. No call: the key is in the head.
   */
  hashed(text: string): string {
    const { hashKey = (this.#newHashKey ??= newHashKey(this.#start.randomBytes)) } = this.#head;
    return hashedWith(hashKey, text);
  }

  /**
   * Raises a daily count (UTC) by one. If the count is at its maximum, nothing of the write is stored. Call
   * it once in a write for each kind and name. No call; two write units.
   * @throws Failure `throttled` from `Ledger.write`, not from here
   */
  countToday(count: DayCount): void {
    this.#dayCounts.set(`${count.kind} ${count.name}`, raiseDayCount(this.#target, count, this.now));
  }

  /**
   * Names a record that answers the caller's request if the request is sent again with its `Idempotency-Key`. `item`:
   * position in a batch. If the first write of a request names no record, all records that the write appends are kept,
   * except events.
   */
  keep({ collection, number }: RecordRef, item?: number): void {
    this.#kept.push({ item, collection: collection.name, number });
  }

  /** Keeps an outcome that no record shows, for the same purpose. An id or a word: never data of a person. */
  note(text: string): void {
    this.#note = text;
  }

  /**
   * Adds a record under the next number of its collection, and claims its unique values. If a live record
   * holds one of them, the write fails with a conflict that names that record.
   * @throws Failure `conflict` if this same write has already claimed a value
   */
  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
  ): Appended<C> {
    const as = this.next(collection);
    this.#lists.join(listOfAll(this.#caller.organization, collection));
    const record = build(as);
    const ref = { collection, number: as.number };
    this.#records.add(ref, record);
    return { ref, record };
  }

  /**
   * Replaces a record that this write has appended or read, so no change gets lost. `newestIn`: kind of list where the
   * record becomes the newest member, even if it is a member already. @throws Error for any other record
   */
  replace<C extends Collection>(
    ref: RecordRef<C>,
    record: RecordOf<C>,
    { newestIn }: { newestIn?: ListKindName<C> } = {},
  ): void {
    const change = this.#records.replace(ref, record);
    if (newestIn !== undefined) (change.newestIn ??= new Set()).add(indexOfKind(ref.collection, newestIn));
  }

  /** Deletes a record that this write has read. @throws Error for any other record */
  remove<C extends Collection>(ref: RecordRef<C>): void {
    this.#records.remove(ref);
    this.#lists.leave(listOfAll(this.#caller.organization, ref.collection), ref.number);
  }

  /**
   * Appends an event, and adds it to the event lists of the records in `of`, which this write must have read
   * to change, or appended. Every write needs at least one event.
   */
  event(event: NewEvent, of: readonly RecordRef[] = []): void {
    const id = this.#head.version + 1;
    this.#head = { ...this.#head, version: id };
    const { userId, tokenId, requestId } = this.#caller;
    const by = {
      userId,
      ...(tokenId !== undefined && { tokenId }),
      ...(requestId !== undefined && { requestId }),
    };
    const record = { id, ...event, ...by, createdAt: this.now };
    this.#records.add({ collection: events, number: id }, record).eventOf = of;
  }

  /**
   * Begins another epoch: everyone who follows the events has to start again. No call. Returns the epochs before and
   * after.
   */
  beginEpoch(): { before: string; after: string } {
    const { epoch: before } = this.#start.head;
    const after = newEpoch(this.#start.randomBytes);
    this.#head = { ...this.#head, epoch: after };
    return { before, after };
  }

  /** Adds the grant of a new token. */
  addGrant(tokenHash: string, grant: NewGrant): void {
    this.#otherItems.set(tokenHash, addGrant(this.#target, tokenHash, grant));
  }

  replaceGrant(tokenHash: string, grant: NewGrant): void {
    this.#otherItems.set(tokenHash, replaceGrant(this.#target, tokenHash, grant));
  }

  /** Deletes the grant of a token that a record of this organization has. */
  revokeGrant(tokenHash: string): void {
    this.#otherItems.set(tokenHash, revokeGrant(this.#target, tokenHash));
  }

  /**
   * Claims a phone number (E.164) for the organization, so that `Store.organizationOfPhoneNumber` finds it. If another
   * organization has the number, the write fails with a conflict. If this organization has it, nothing changes.
   */
  claimPhoneNumber(phone: string): void {
    this.#otherItems.set(phone, claimPhoneNumber(this.#target, phone));
  }

  /** True if the organization has this phone number. One round trip, a serializable read. */
  async holdsPhoneNumber(phone: string): Promise<boolean> {
    const key = phoneNumberKey(phone);
    const item = (await this.#start.reads.snapshot([key])).get(nameOfKey(key));
    return item !== undefined && organizationOwning(item) === this.#caller.organization;
  }

  /**
   * Releases a phone number of this organization. Does nothing if no organization has it. If another
   * organization has it, the write fails.
   */
  releasePhoneNumber(phone: string): void {
    this.#otherItems.set(phone, releasePhoneNumber(this.#target, phone));
  }

  /** Notes under a hash that a person is erased now. The note lasts 30 days. No call; two write units. */
  noteErased(hash: string): void {
    this.#otherItems.set(`erased ${hash}`, noteErased(this.#target, hash, this.now));
  }

  /** True if an erasure at this time or later is noted under a hash. One round trip, a serializable read. */
  async wasErasedSince(hash: string, time: string): Promise<boolean> {
    const key = erasedKey(this.#caller.organization, hash);
    const item = (await this.#start.reads.snapshot([key])).get(nameOfKey(key));
    return item !== undefined && erasedAt(item) >= time;
  }

  /**
   * Makes the cursor of a webhook due in a minute, and adds it if there is none, so that the sweeper knows the webhook.
   * A new cursor begins at the webhook's `startAfter`. No call.
   */
  addCursor(webhook: number): void {
    this.#otherItems.set(`cursor ${webhook}`, addCursor(this.#target, webhook, this.now));
  }

  /** Adds a record of the read set; `item` is undefined if there is none. */
  addRead(ref: RecordRef, item: Item | undefined, options?: { mayStayUnchanged?: boolean }): void {
    this.#records.addRead(ref, item, options);
  }

  /** True if there is nothing to store. */
  get isEmpty(): boolean {
    return (
      this.#head === this.#start.head && this.#records.changed.length === 0 && this.#otherItems.size === 0
    );
  }

  /**
   * The keys of items that `transaction` needs because of the changes: states of lists, and days that records book.
   * Change nothing from now on.
   */
  get keysToRead(): Key[] {
    const days = this.#records.changed.flatMap(({ bookedDays }) => [...(bookedDays?.keys() ?? [])]);
    const unread = [...new Set(days)].filter((day) => !this.#days.has(day));
    return [
      ...stateItemsOf(this.#planMoves()).map((partition) => stateKey(partition)),
      ...unread.map((day) => this.#keyOfDay(day)),
    ];
  }

  /** Moves of members between lists, from all changes. The changes are complete by now. */
  #planMoves(): readonly Move[] {
    return (this.#moves ??= movesOf(this.#target, this.#records, (name) => name in this.#head.lists));
  }

  /**
   * The transaction that stores the write. The transaction checks everything that the write relies on: the head's
   * version, and the revision of each record that is replaced or removed. Each new record must be new, and each unique
   * value must be free, or still held by the record that releases the value. Call it once, with the existing items of
   * `keysToRead`, by `nameOfKey`.
   * @throws Error if the write has no event, too many operations, or a record that was read to change and is
   * unchanged
   */
  transaction(
    read: ReadonlyMap<string, Item> = new Map(),
    withQueueEstimate: (head: Head) => Head = (head) => head,
  ): Transaction {
    const { version } = this.#start.head;
    const { version: revision } = this.#head;
    if (revision === version) throw new Error('A write without an event');
    const moves = this.#planMoves();
    for (const partition of stateItemsOf(moves))
      this.#lists.addStateItem(partition, read.get(nameOfKey(stateKey(partition))));
    moveMembers(this.#target, moves, this.#lists);
    this.#records.checkChanged();
    const { changed } = this.#records;
    this.#addTouched(changed);
    const items = new Map<string, Item>();
    const records = changed.map((change) => {
      const operation = recordOperation(this.#target, change, revision);
      if (operation.Put?.Item) items.set(nameOfKey(change.key), operation.Put.Item);
      return operation;
    });
    const head = this.#headAfter(changed, withQueueEstimate);
    const { tableName: TableName, organization } = this.#target;
    const isAsRead = version === 0 ? headDoesNotExist : headVersionUnchanged(version);
    const advanceHead = { Put: { TableName, Item: { ...head, ...headKey(organization) }, ...isAsRead } };
    const lists = this.#lists.operations(revision);
    const entries = changed.flatMap(({ number, bookedDays = [] }) =>
      [...bookedDays].map(([day, entry]) => ({ day, number, entry })),
    );
    const days = [...Map.groupBy(entries, ({ day }) => day)].map(([day, ofDay]) => {
      const item = this.#days.has(day) ? this.#days.get(day) : read.get(nameOfKey(this.#keyOfDay(day)));
      return dayOperation(this.#target, day, item, ofDay, revision);
    });
    const request = this.#caller.request && this.#requestAfter(this.#caller.request, changed, revision);
    const refusable = [
      ...(request ? [request.operation] : []),
      ...this.#records.uniques.operations(),
      ...this.#otherItems.values(),
      ...this.#dayCounts.values(),
    ];
    const room = maxOperations - 1 - records.length - refusable.length - lists.length - days.length;
    if (room < 0) throw new Error(`A write of more than ${maxOperations} items`);
    const plain = [advanceHead, ...records, ...lists, ...days, ...this.#lists.deletionsOfEnded(room)];
    const operations = [...plain.map((operation) => ({ operation })), ...refusable];
    return { operations, head, items, kept: request?.kept };
  }

  /** Keeps the caller's request, unless the request is kept already and this write adds nothing to it. */
  #requestAfter(request: KeyedRequest, changed: readonly RecordChange[], revision: number) {
    if (request.kept && this.#kept.length === 0 && this.#note === undefined) return undefined;
    const appended = changed.filter(({ before, collection }) => !before && collection !== events);
    const named = this.#kept.length > 0 || request.kept ? this.#kept : appended.map(nameOfChange);
    const records = named.map((one) => ({ ...one, revision }));
    const note = this.#note ?? request.kept?.note ?? '';
    return keepRequest(this.#target, request, { now: this.now, revision, records, note });
  }

  /** Adds the attributes `touched` and `shown` to the last event. */
  #addTouched(changed: readonly RecordChange[]): void {
    const last = changed.findLast(({ collection }) => collection === events);
    const records = changed.filter(({ collection }) => collection !== events);
    const touched = records.map(({ collection, number, after }) => ({
      ...{ collection: collection.name, number },
      isRemoved: after === 'removed',
    }));
    const places = records.flatMap(({ shownIn }) => shownIn ?? []);
    if (!last) return;
    last.kept = { ...last.kept, touched: formatTouchedRecords(touched) };
    if (places.length === 0) return;
    const shown = shownRecords(this.#caller.organization, places, touched);
    if (shown.length > 0) last.kept['shown'] = formatTouchedRecords(shown);
  }

  #headAfter(changed: readonly RecordChange[], withQueueEstimate: (head: Head) => Head): Head {
    let head = withQueueEstimate(this.#head);
    if (this.#newHashKey !== undefined) head = { ...head, hashKey: this.#newHashKey };
    if (changed.some(({ collection }) => collection.isConfiguration))
      head = { ...head, configuration: head.version };
    for (const { collection, number, after } of changed) {
      const { name } = collection;
      const record = after === 'removed' ? undefined : after?.record;
      if (collection.hasHotRecord) head = withRevision(head, name, record && head.version);
      if (collection.isNamedInHead) {
        const isNamed = record !== undefined && collection.isNamedInHead(v.parse(collection.schema, record));
        const others = namedIn(head, name).filter((other) => other !== number);
        head = withNamed(head, name, isNamed ? [...others, number] : others);
      }
    }
    return head;
  }
}

const nameOfChange = ({ collection: { name }, number }: RecordChange) => ({ collection: name, number });

/** A write for domains: without the methods that only the ledger calls. */
export type Write = Omit<
  UnitOfWork,
  'addRead' | 'hasAskedHead' | 'isAnsweredBy' | 'isEmpty' | 'keysToRead' | 'transaction'
>;
