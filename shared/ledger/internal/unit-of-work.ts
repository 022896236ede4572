import * as v from 'valibot';
import { recordId } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import {
  events,
  type Collection,
  type ListKindName,
  type RecordOf,
  type RecordRef,
  type UniqueValue,
} from './collection.ts';
import { DayCounts, type DayCount } from './day-counts.ts';
import type { Grant } from './grant.ts';
import { GrantChanges } from './grant-changes.ts';
import { hashedWith, newHashKey } from './hash-key.ts';
import { stateIn, withState, type Head } from './head.ts';
import { nameOfKey, phoneNumberKey, type Key } from './keys.ts';
import { ListChanges } from './list-changes.ts';
import { ListOwners, membersOf } from './list-owners.ts';
import { lengthOf } from './list-state.ts';
import { indexOfKind, listOfAll } from './lists.ts';
import { PhoneNumberClaims, organizationOwning } from './phone-number-claims.ts';
import type { IdOf } from './read-set.ts';
import { afterOf, type RecordChange } from './record-change.ts';
import { RecordUniques } from './record-uniques.ts';
import { parseRecord } from './stored-record.ts';
import type { Appended, NewEvent, Write } from './write.ts';
import { RecordChanges } from './record-changes.ts';

/** The reads and the randomness that a write needs while it is built. */
export interface WriteDependencies {
  readItem: (ref: RecordRef) => Promise<Item | undefined>;
  /** Reads the former item of a removed record. A serializable read proves that there is none. */
  readFormer: (ref: RecordRef) => Promise<Item | undefined>;
  /** Reads items by one serializable read; the result is by `nameOfKey`. */
  snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>;
  randomBytes: (size: number) => Uint8Array;
}

/** DynamoDB's limit on one transaction. */
export const maxOperations = 100;

/** Number of operations that `remainingItems` reserves for the holes and counts of lists. */
const operationsForHoles = 10;

/** Collects all changes of one write. `TransactionBuilder` makes the transaction of them. */
export class UnitOfWork implements Write {
  readonly now: string;
  protected readonly tableName: string;
  protected readonly caller: Caller;
  readonly #dependencies: WriteDependencies;
  protected readonly headAsRead: Head;
  protected head: Head;
  /** A new key for hashes, which this write stores in the head. */
  protected newHashKey: string | undefined;
  protected readonly records: RecordChanges;
  protected readonly uniques: RecordUniques;
  protected readonly lists: ListChanges;
  protected readonly owners: ListOwners;
  protected readonly grants: GrantChanges;
  protected readonly numbers: PhoneNumberClaims;
  protected readonly dayCounts: DayCounts;

  constructor(
    tableName: string,
    caller: Caller,
    { head, now, dependencies }: { head: Head; now: string; dependencies: WriteDependencies },
  ) {
    this.tableName = tableName;
    this.caller = caller;
    this.#dependencies = dependencies;
    this.headAsRead = head;
    this.head = head;
    const { organization } = caller;
    const records = new RecordChanges(organization);
    this.records = records;
    this.uniques = new RecordUniques(tableName, organization);
    this.grants = new GrantChanges(tableName, organization);
    this.numbers = new PhoneNumberClaims(tableName, organization);
    this.dayCounts = new DayCounts(tableName, organization, now);
    const owners = new ListOwners(organization, {
      records,
      stateOf: (name) => stateIn(this.head, name),
      setState: (name, state) => {
        this.head = withState(this.head, name, state);
      },
      rewrite: (owner) => {
        this.#rewrite(owner);
      },
    });
    this.owners = owners;
    const lists = new ListChanges(tableName, owners);
    this.lists = lists;
    this.now = now;
  }

  get country(): string {
    return this.head.country;
  }

  count({ name }: Collection): number {
    return lengthOf(stateIn(this.head, name));
  }

  next({ name, prefix }: Collection): { number: number; id: string } {
    const number = stateIn(this.head, name).last + 1;
    const id = prefix === undefined ? String(number) : recordId(prefix, this.caller.organization, number);
    return { number, id };
  }

  hasExisted({ collection, number }: RecordRef): boolean {
    return number <= stateIn(this.head, collection.name).last;
  }

  get remainingItems(): number {
    const parts = [this.uniques, this.grants, this.numbers, this.dayCounts];
    const others = parts.reduce((sum, part) => sum + part.operations().length, 0);
    return Math.max(0, maxOperations - operationsForHoles - 1 - this.records.size - others);
  }

  async read<C extends Collection>(
    ref: RecordRef<C>,
    options: { mayStayUnchanged?: boolean } = {},
  ): Promise<RecordOf<C> | undefined> {
    const { collection, number } = ref;
    const record = { collection: collection.name, number };
    const isKnown = () => this.records.find(record) !== undefined || this.records.isAbsent(record);
    if (!isKnown()) {
      const item = await this.#dependencies.readItem(ref);
      // A concurrent `read` of the same record may have added it.
      if (!isKnown()) this.records.addRead(ref, item, options);
    }
    const { before, after } = this.records.find(record) ?? {};
    if (after === 'removed') return undefined;
    if (after) return v.parse(collection.schema, after.record);
    return before && parseRecord(collection, before.item);
  }

  async readFormer(ref: RecordRef): Promise<boolean> {
    const owner = { collection: ref.collection.name, number: ref.number };
    if (!this.owners.isFormerRead(owner)) {
      const item = await this.#dependencies.readFormer(ref);
      // A concurrent `readFormer` of the same record may have added it.
      if (!this.owners.isFormerRead(owner)) this.owners.addFormer(owner, item);
    }
    const hasFormer = this.owners.hasFormer(owner);
    // A former item proves that the record was removed.
    if (hasFormer) this.records.addRead(ref, undefined);
    return hasFormer;
  }

  membersOf(ref: RecordRef): number {
    return membersOf(this.records.at(ref));
  }

  holderOf<C extends Collection>(collection: C, unique: UniqueValue): Promise<IdOf<C> | undefined>;
  holderOf(collection: Collection, unique: UniqueValue): Promise<string | number | undefined> {
    return this.holdersOf(collection, [unique]).then(([holder]) => holder);
  }

  holdersOf<C extends Collection>(
    collection: C,
    uniques: readonly UniqueValue[],
  ): Promise<(IdOf<C> | undefined)[]>;
  holdersOf(
    collection: Collection,
    uniques: readonly UniqueValue[],
  ): Promise<(string | number | undefined)[]> {
    return this.uniques.holdersOf(collection, uniques, this.#dependencies.snapshot);
  }

  get hasHashKey(): boolean {
    return (this.head.hashKey ?? this.newHashKey) !== undefined;
  }

  hashed(text: string): string {
    const { hashKey = (this.newHashKey ??= newHashKey(this.#dependencies.randomBytes)) } = this.head;
    return hashedWith(hashKey, text);
  }

  countToday(count: DayCount): void {
    this.dayCounts.raise(count);
  }

  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
  ): Appended<C> {
    const as = this.next(collection);
    this.lists.join(listOfAll(this.caller.organization, collection).partition);
    const record = build(as);
    const ref = { collection, number: as.number };
    this.uniques.move(collection, this.records.add(ref, record), record);
    return { ref, record };
  }

  replace<C extends Collection>(
    ref: RecordRef<C>,
    record: RecordOf<C>,
    { newestIn }: { newestIn?: ListKindName<C> } = {},
  ): void {
    const change = this.records.at(ref);
    this.uniques.move(ref.collection, change, record);
    change.after = afterOf(ref.collection, record);
    if (newestIn !== undefined) (change.newestIn ??= new Set()).add(indexOfKind(ref.collection, newestIn));
  }

  remove<C extends Collection>(ref: RecordRef<C>): void {
    const change = this.records.at(ref);
    this.uniques.move(ref.collection, change, undefined);
    change.after = 'removed';
    this.lists.leave(listOfAll(this.caller.organization, ref.collection).partition, ref.number);
  }

  event(event: NewEvent, of: readonly RecordRef[] = []): void {
    const id = this.head.version + 1;
    this.head = { ...this.head, version: id };
    const record = { id, ...event, userId: this.caller.userId, createdAt: this.now };
    this.records.add({ collection: events, number: id }, record).eventOf = of;
  }

  addGrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.grants.add(tokenHash, grant);
  }

  replaceGrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.grants.replace(tokenHash, grant);
  }

  revokeGrant(tokenHash: string): void {
    this.grants.revoke(tokenHash);
  }

  claimPhoneNumber(phone: string): void {
    this.numbers.claim(phone);
  }

  async holdsPhoneNumber(phone: string): Promise<boolean> {
    const key = phoneNumberKey(phone);
    const item = (await this.#dependencies.snapshot([key])).get(nameOfKey(key));
    return item !== undefined && organizationOwning(item) === this.caller.organization;
  }

  releasePhoneNumber(phone: string): void {
    this.numbers.release(phone);
  }

  /** Stores a record whose fields stay the same and whose list states change. */
  #rewrite(change: RecordChange): void {
    const record = parseRecord(change.collection, change.before?.item ?? {});
    // The unique values do not change, but `recordOperation` stores them from `held`.
    this.uniques.move(change.collection, change, record);
    change.after = afterOf(change.collection, record);
  }
}
