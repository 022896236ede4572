import { newEpoch, recordId } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { bookedIn, daysTouchedBy, type Booked } from './booked.ts';
import type { Collected, WriteStart } from './collected.ts';
import {
  events,
  type Collection,
  type IdOf,
  type LedgerEvent,
  type ListKindName,
  type RecordOf,
  type RecordRef,
  type UniqueValue,
} from './collection.ts';
import { secondAfterDays } from './expiry.ts';
import { lastUseIn } from './grant.ts';
import { hashedWith, newHashKey } from './hash-key.ts';
import { stateIn, type Head } from './head.ts';
import { bookedKey, erasedKey, grantKey, nameOfKey, phoneNumberKey, recordKey, type Key } from './keys.ts';
import type { ListChanges } from './list-changes.ts';
import { lengthOf } from './list-state.ts';
import { indexOfKind, lengthsOwned, listOfAll } from './lists.ts';
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
import type { RecordChanges } from './record-changes.ts';
import { parseRecord } from './stored-record.ts';
import { keyOfOperation, type WriteOperation, type WriteTarget } from './table-client.ts';

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

/**
 * Collects one change of an organization, which the ledger stores in one transaction or not at all. If
 * another writer was faster, the change is built again on newer records. Lists and unique values follow from
 * the records' collections.
 */
export class Write {
  /** Time of the change, in the API's format. */
  readonly now: string;
  readonly #collected: Collected;
  readonly #target: WriteTarget;
  readonly #reads: WriteStart['reads'];
  readonly #records: RecordChanges;
  readonly #lists: ListChanges;

  /** @param collected where the write collects its changes: see `nothingCollected` */
  constructor(collected: Collected) {
    this.now = collected.start.now;
    this.#collected = collected;
    this.#target = collected.target;
    this.#reads = collected.start.reads;
    this.#records = collected.records;
    this.#lists = collected.lists;
  }

  /** Number of the organization's newest event, including this write so far. */
  get version(): number {
    return this.#ask(({ version }) => version);
  }

  /** Country of the organization, for reading national phone numbers. */
  get country(): string {
    return this.#collected.head.country;
  }

  /** Number of live records of a collection once the write is stored. */
  count({ name }: Collection): number {
    return this.#ask((head) => lengthOf(stateIn(head, { collection: name })));
  }

  /** The number and the public id of the next record of a collection, for a record that refers to it. */
  next({ name, prefix }: Collection): { number: number; id: string } {
    const number = stateIn(this.#collected.head, { collection: name }).last + 1;
    const id = prefix === undefined ? String(number) : recordId(prefix, this.#target.organization, number);
    return { number, id };
  }

  /** True if a record with this number exists or existed. No call: the head has the last number given out. */
  hasExisted({ collection, number }: RecordRef): boolean {
    return this.#ask((head) => number <= stateIn(head, { collection: collection.name }).last);
  }

  /** Answers a question about the head, with the changes of this write so far. */
  #ask<T extends number | boolean>(question: (head: Head) => T): T {
    this.#collected.questions.push(question);
    return question(this.#collected.head);
  }

  /**
   * Number of items that can still be added to the transaction. DynamoDB's limit is 100. The items of the head,
   * records, unique values, days that records book, grants, phone numbers, daily counts and the principal's request are
   * counted. Ten items are reserved for the holes of lists. A record that leaves lists can need three items for each
   * list, so a write that removes many records must count these items itself.
   */
  get remainingItems(): number {
    const request = this.#collected.principal.request ? 1 : 0;
    const others =
      this.#records.size + this.#collected.otherItems.size + this.#collected.dayCounts.size + request;
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
      const item = await this.#reads.item(ref, this.#collected.start.head);
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
    const key = recordKey(this.#target.organization, collection.name, number);
    const item = await this.#readItem(key);
    return item && parseRecord(collection, item);
  }

  /**
   * All records of a collection that the domain keeps small, before this write. Read in the same way as `check`. No
   * record is left out, because the head has the last number. One round trip, a serializable read for each hundred
   * numbers.
   */
  async checkAll<C extends Collection>(collection: C): Promise<RecordOf<C>[]> {
    const { last } = stateIn(this.#collected.start.head, { collection: collection.name });
    const { organization } = this.#target;
    const keys = Array.from({ length: last }, (_, at) => recordKey(organization, collection.name, at + 1));
    const items = await this.#reads.snapshot(keys);
    return [...items.values()].map((item) => parseRecord(collection, item));
  }

  /**
   * All bookings on the days (UTC) that a span touches, before this write. Each booking comes once, by start and
   * number. Bookings that overlap the span only with their buffers are included. Times are ISO 8601, and `to` is not
   * part of the span. One round trip, a serializable read, or none for days that this write has read.
   */
  async readBooked(from: string, to: string): Promise<Booked[]> {
    const days = daysTouchedBy(from, to);
    const keys = days
      .filter((day) => !this.#collected.days.has(day))
      .map((day) => bookedKey(this.#target.organization, day));
    const items = keys.length === 0 ? new Map<string, Item>() : await this.#reads.snapshot(keys);
    for (const key of keys) this.#collected.days.set(key.sk, items.get(nameOfKey(key)));
    return bookedIn(days.map((day) => [day, this.#collected.days.get(day)]));
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
      const item = await this.#reads.former(ref);
      // A concurrent `readFormer` of the same record may have added it.
      if (!this.#lists.isFormerRead(owner)) this.#lists.addFormer(owner, item);
    }
    const revision = this.#lists.revisionOfFormer(owner);
    if (revision === undefined) return false;
    // A former item proves that the record was removed.
    this.#records.addRead(ref, undefined);
    if (settled) {
      if (revision !== this.#collected.start.ownVersion) await this.#reads.settleRemovals(revision);
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
  ): Promise<(IdOf<C> | undefined)[]> {
    return this.#records.uniques.holdersOf(collection, uniques, (keys) => this.#reads.snapshot(keys));
  }

  /**
   * True if the organization has its hash key. If there is no key, `hashed` creates a key. Hashes with an earlier key
   * cannot be found with the new key.
   */
  get hasHashKey(): boolean {
    return (this.#collected.head.hashKey ?? this.#collected.newHashKey) !== undefined;
  }

  /**
   * HMAC-SHA256 of a text with the organization's secret key, base64url. The same text has the same hash in
   * one organization, and another hash in any other. No call: the key is in the head.
   */
  hashed(text: string): string {
    const { hashKey = (this.#collected.newHashKey ??= newHashKey(this.#collected.start.randomBytes)) } =
      this.#collected.head;
    return hashedWith(hashKey, text);
  }

  /**
   * Names a record that answers the principal's request if the request is sent again with its `Idempotency-Key`. `item`:
   * position in a batch. If the first write of a request names no record, all records that the write appends are kept,
   * except events.
   */
  keep({ collection, number }: RecordRef, item?: number): void {
    this.#collected.namedForReplay.push({ item, collection: collection.name, number });
  }

  /** Keeps an outcome that no record shows, for the same purpose. An id or a word: never data of a person. */
  keepReplayData(text: string): void {
    this.#collected.replayData = text;
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
    this.#lists.join(listOfAll(this.#target.organization, collection));
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
    this.#lists.leave(listOfAll(this.#target.organization, ref.collection), ref.number);
  }

  /**
   * Appends an event, and adds it to the event lists of the records in `of`, which this write must have read
   * to change, or appended. Every write needs at least one event.
   */
  event(event: NewEvent, of: readonly RecordRef[] = []): void {
    const id = this.#collected.head.version + 1;
    this.#collected.head = { ...this.#collected.head, version: id };
    const { userId, tokenId, requestId } = this.#collected.principal;
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
    const { epoch: before } = this.#collected.start.head;
    const after = newEpoch(this.#collected.start.randomBytes);
    this.#collected.head = { ...this.#collected.head, epoch: after };
    return { before, after };
  }

  // Items that are no records: daily counts, grants, phone numbers, erasures and cursors of webhooks.

  /**
   * Raises a daily count (UTC) by one. If the count is at its maximum, nothing of the write is stored. Call
   * it once in a write for each kind and name. No call; two write units.
   * @throws Failure `throttled` from `Ledger.write`, not from here
   */
  countToday(count: DayCount): void {
    this.#collected.dayCounts.set(
      `${count.kind} ${count.name}`,
      raiseDayCount(this.#target, count, this.now),
    );
  }

  /** Adds the grant of a new token. */
  addGrant(tokenHash: string, grant: NewGrant): void {
    this.#addItem(addGrant(this.#target, tokenHash, grant));
  }

  /** Replaces what the grant of a token allows. If the token has no grant, the write fails. */
  replaceGrant(tokenHash: string, grant: NewGrant): void {
    this.#addItem(replaceGrant(this.#target, tokenHash, grant));
  }

  /** Day (UTC) of the last use of a token; undefined if none is noted. One round trip, a serializable read. */
  async lastUseOf(tokenHash: string): Promise<string | undefined> {
    const item = await this.#readItem(grantKey(tokenHash));
    return item && lastUseIn(item, this.#target.organization);
  }

  /** Deletes the grant of a token that a record of this organization has. */
  revokeGrant(tokenHash: string): void {
    this.#addItem(revokeGrant(this.#target, tokenHash));
  }

  /**
   * Claims a phone number (E.164) for the organization, so that `Store.organizationOfPhoneNumber` finds it. If another
   * organization has the number, the write fails with a conflict. If this organization has it, nothing changes.
   */
  claimPhoneNumber(phone: string): void {
    this.#addItem(claimPhoneNumber(this.#target, phone));
  }

  /** True if the organization has this phone number. One round trip, a serializable read. */
  async holdsPhoneNumber(phone: string): Promise<boolean> {
    const key = phoneNumberKey(phone);
    const item = await this.#readItem(key);
    return item !== undefined && organizationOwning(item) === this.#target.organization;
  }

  /**
   * Releases a phone number of this organization. Does nothing if no organization has it. If another
   * organization has it, the write fails.
   */
  releasePhoneNumber(phone: string): void {
    this.#addItem(releasePhoneNumber(this.#target, phone));
  }

  /** Notes under a hash that a person is erased now. The note lasts 30 days. No call; two write units. */
  noteErased(hash: string): void {
    this.#addItem(noteErased(this.#target, hash, this.now));
  }

  /** True if an erasure at this time or later is noted under a hash. One round trip, a serializable read. */
  async wasErasedSince(hash: string, time: string): Promise<boolean> {
    const key = erasedKey(this.#target.organization, hash);
    const item = await this.#readItem(key);
    return item !== undefined && erasedAt(item) >= time;
  }

  /**
   * Makes the cursor of a webhook due in a minute, and adds it if there is none, so that the sweeper knows the webhook.
   * A new cursor begins at the webhook's `startAfter`. No call.
   */
  addCursor(webhook: number): void {
    this.#addItem(addCursor(this.#target, webhook, this.now));
  }

  /** Adds an operation. DynamoDB takes one operation per item, so a later operation replaces an earlier one. */
  #addItem(write: WriteOperation): void {
    this.#collected.otherItems.set(nameOfKey(keyOfOperation(write.operation)), write);
  }

  /** Current item with this key; undefined if there is none. One round trip, a serializable read. */
  async #readItem(key: Key): Promise<Item | undefined> {
    return (await this.#reads.snapshot([key])).get(nameOfKey(key));
  }
}
