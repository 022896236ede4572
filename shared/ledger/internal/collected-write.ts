import * as v from 'valibot';
import { recordId } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import {
  events,
  type Collection,
  type ListName,
  type RecordOf,
  type RecordRef,
  type UniqueValue,
} from './collection.ts';
import { DayCounts, type DayCount } from './day-counts.ts';
import type { Grant } from './grant.ts';
import { GrantChanges } from './grant-changes.ts';
import { hashedWith, newHashKey } from './hash-key.ts';
import { stateIn, withState, type Head } from './head.ts';
import { nameOfKey, numberKey, type Key } from './keys.ts';
import { ListChanges } from './list-changes.ts';
import { ListOwners, membersOf } from './list-owners.ts';
import { lengthOf } from './list-state.ts';
import { indexOfKind, listOfAll } from './lists.ts';
import { NumberClaims, organizationIn } from './number-claims.ts';
import type { IdOf } from './reading.ts';
import { afterOf, type RecordChange } from './record-change.ts';
import { RecordUniques } from './record-uniques.ts';
import { parseRecord } from './stored-record.ts';
import type { Appended, NewEvent, Write } from './write.ts';
import { WrittenRecords } from './written-records.ts';

/** What a write asks of the world while it is built. */
export interface Means {
  /** Reads the item of a record. */
  readItem: (ref: RecordRef) => Promise<Item | undefined>;
  /** Reads what is left of a removed record; undefined, proved by a serializable read, where nothing is. */
  readFormer: (ref: RecordRef) => Promise<Item | undefined>;
  /** Reads items by one serializable read, by the names of their keys. */
  snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>;
  randomBytes: (size: number) => Uint8Array;
}

/** DynamoDB's limit on one transaction. */
export const maxSteps = 100;

/** How many items are kept back for what lists note. */
const stepsForNotes = 10;

/** What a domain has put into one write: see `PendingWrite`, which makes a transaction of it. */
export class CollectedWrite implements Write {
  readonly now: string;
  protected readonly tableName: string;
  protected readonly caller: Caller;
  readonly #means: Means;
  protected readonly seen: Head;
  protected head: Head;
  /** A new key for hashes, which the head gets with whatever this write stores. */
  protected newHashKey: string | undefined;
  protected readonly records: WrittenRecords;
  protected readonly uniques: RecordUniques;
  protected readonly lists: ListChanges;
  protected readonly owners: ListOwners;
  protected readonly grants: GrantChanges;
  protected readonly numbers: NumberClaims;
  protected readonly dayCounts: DayCounts;

  constructor(
    tableName: string,
    caller: Caller,
    { head, now, means }: { head: Head; now: string; means: Means },
  ) {
    this.tableName = tableName;
    this.caller = caller;
    this.#means = means;
    this.seen = head;
    this.head = head;
    const { organization } = caller;
    const records = new WrittenRecords(organization);
    this.records = records;
    this.uniques = new RecordUniques(tableName, organization);
    this.grants = new GrantChanges(tableName, organization);
    this.numbers = new NumberClaims(tableName, organization);
    this.dayCounts = new DayCounts(tableName, organization, now);
    const owners = new ListOwners(organization, {
      records,
      stateOf: (name) => stateIn(this.head, name),
      keepState: (name, state) => {
        this.head = withState(this.head, name, state);
      },
      storeAgain: (owner) => {
        this.#storeAgain(owner);
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

  hasBeen({ collection, number }: RecordRef): boolean {
    return number <= stateIn(this.head, collection.name).last;
  }

  get room(): number {
    const alone = [this.uniques, this.grants, this.numbers, this.dayCounts].flatMap((part) =>
      part.steps(),
    ).length;
    return Math.max(0, maxSteps - stepsForNotes - 1 - this.records.size - alone);
  }

  async read<C extends Collection>(
    ref: RecordRef<C>,
    options: { mayStay?: boolean } = {},
  ): Promise<RecordOf<C> | undefined> {
    const { collection, number } = ref;
    const record = { collection: collection.name, number };
    const isKnown = () => this.records.find(record) !== undefined || this.records.isAbsent(record);
    if (!isKnown()) {
      const item = await this.#means.readItem(ref);
      // Unless it was read twice at once.
      if (!isKnown()) this.records.hasRead(ref, item, options);
    }
    const { before, after } = this.records.find(record) ?? {};
    if (after === 'removed') return undefined;
    if (after) return v.parse(collection.schema, after.record);
    return before && parseRecord(collection, before.item);
  }

  async readFormer(ref: RecordRef): Promise<boolean> {
    const owner = { collection: ref.collection.name, number: ref.number };
    if (!this.owners.isFormerKnown(owner)) {
      const item = await this.#means.readFormer(ref);
      // Unless it was read twice at once.
      if (!this.owners.isFormerKnown(owner)) this.owners.hasReadFormer(owner, item);
    }
    const isLeft = this.owners.hasFormer(owner);
    // Who left something was removed.
    if (isLeft) this.records.hasRead(ref, undefined);
    return isLeft;
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
    return this.uniques.holdersOf(collection, uniques, this.#means.snapshot);
  }

  get hasHashKey(): boolean {
    return (this.head.hashKey ?? this.newHashKey) !== undefined;
  }

  hashed(text: string): string {
    const { hashKey = (this.newHashKey ??= newHashKey(this.#means.randomBytes)) } = this.head;
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
    { newestIn }: { newestIn?: ListName<C> } = {},
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

  grant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.grants.add(tokenHash, grant);
  }

  regrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.grants.replace(tokenHash, grant);
  }

  revoke(tokenHash: string): void {
    this.grants.revoke(tokenHash);
  }

  claimNumber(phone: string): void {
    this.numbers.claim(phone);
  }

  async holdsNumber(phone: string): Promise<boolean> {
    const key = numberKey(phone);
    const item = (await this.#means.snapshot([key])).get(nameOfKey(key));
    return item !== undefined && organizationIn(item) === this.caller.organization;
  }

  releaseNumber(phone: string): void {
    this.numbers.release(phone);
  }

  /** Stores a record as it is, but for the lists that it owns. */
  #storeAgain(change: RecordChange): void {
    const record = parseRecord(change.collection, change.before?.item ?? {});
    // The values stay, but `held` must be known.
    this.uniques.move(change.collection, change, record);
    change.after = afterOf(change.collection, record);
  }
}
