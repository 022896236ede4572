import * as v from 'valibot';
import type { EventName } from '../../../shared/contract/events.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { entriesOf } from '../../../shared/ledger/internal/booked.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { collectionsIn, parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key, ListKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, emptyList, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { parseTouchedRecords } from '../../../shared/ledger/internal/touched-records.ts';
import { hasReadableClaims, heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { keysOutside } from './grants.ts';
import { isPipeline, positionsOf, readState, readableStates } from './stored-list.ts';
import { OrganizationItems } from './organization-items.ts';
import {
  inParallel,
  retryWait,
  TableReads,
  type IndexedItem,
  type TableAccess,
} from '../table/table-reads.ts';
import { SparseNumbers } from '../table/sparse-numbers.ts';

/** Keys of an organization that a scan of the table showed. */
export interface ScannedOrganization {
  /** All partitions of the organization. */
  partitions: Set<string>;
  /** Keys of grants and phone numbers that name it. */
  outside: Key[];
  /** Items of others that stand in its partitions of indexes. */
  foreign: IndexedItem[];
}

export interface ReaderOptions {
  collections: readonly Collection[];
  /**
   * Keys that a scan showed. Some items are found by a scan alone: hole items that no list state announces, and items of
   * others in lists that a record owns.
   */
  scanned?: ScannedOrganization | undefined;
}

const repaired: EventName = 'ORGANIZATION_REPAIRED';

/** Milliseconds after an event during which its transaction may still be applied to items. */
const settlingTime = 60_000;
/** Number of partitions, and of serializable reads, at a time. */
const atOnce = 4;
/** Number of keys of one serializable read: the more, the more often it meets a transaction. */
const perRead = 50;
/** Maximum number of missing events at the end that are looked for one by one. */
const maxMissingEvents = 100;
/** Number of events after the last known event that each serializable read includes. */
const eventsAhead = 8;
/**
 * Maximum number of rounds until the items must be of one version, and of tries of a read that meets
 * transactions.
 */
const maxRounds = 8;
const maxTries = 300;

/** Thrown if transactions held the items at each try. Verifying and repairing report that as a finding. */
export class NeverAtRest extends Error {}

/** Thrown if somebody else repaired the organization meanwhile: a repair changes items that no record tells of. */
export class RepairedMeanwhile extends Error {}

/**
 * Reads the items of an organization as of one version, while others write. Relies on three facts. Each write advances
 * the head's version. Its last event names the records that it changed. And the records, before and after, tell which
 * other items the write changed. So everything is read once, by queries. Then serializable reads repeat whatever events
 * have changed since. The reads also repeat changes so recent that queries may have shown a part of a write. These
 * reads include the head and the next events, and go on until there is no next event. If others write without pause,
 * the items may never be of one version: see `isChanging`.
 */
export class OrganizationReader {
  readonly organization: OrganizationCode;
  readonly items = new OrganizationItems();
  readonly reads: TableReads;
  /** Number of items that the queries showed. */
  count = 0;
  readonly #scanned: ScannedOrganization | undefined;
  readonly #collections: ReadonlyMap<string, Collection>;
  /** Last event with known changes. */
  #knownTo = 0;
  /** Version when the queries began. */
  #firstVersion = 0;
  /** Greatest number of an event that was read. */
  #lastEvent = 0;
  /** Items to read again, each with its lowest allowed version. */
  readonly #stale = new Map<string, { key: Key; version: number }>();
  /** Version of each item that was read again. */
  readonly #versions = new Map<string, number>();
  /** Items that were changed since all items were of one version. */
  readonly #changing = new Set<string>();
  /** Partitions of holes that the judgement will want. A second judgement would take as long as the first. */
  readonly #announced = new Set<string>();
  /** Records of each collection, and owners that a member of a list names. */
  readonly #records = new Map<string, SparseNumbers>();
  readonly #owners = new Map<string, SparseNumbers>();

  constructor(access: TableAccess, organization: OrganizationCode, { collections, scanned }: ReaderOptions) {
    this.organization = organization;
    this.reads = new TableReads(access);
    this.#scanned = scanned;
    this.#collections = new Map(collections.map((collection) => [collection.name, collection]));
  }

  /** False until the head was read. */
  get hasHead(): boolean {
    return this.items.get(keys.headKey(this.organization)) !== undefined;
  }

  get head(): Head {
    return parseHead(this.items.get(keys.headKey(this.organization)));
  }

  /** Names of the collections of this version of the code, and of further collections in the head. */
  get collectionNames(): string[] {
    return [...new Set([...this.#collections.keys(), ...collectionsIn(this.head)])];
  }

  /** Reads the head, and the announcement of an import. The write that stores the head removes the announcement. */
  async readHead(): Promise<{ item: Item | undefined; isImport: boolean }> {
    const key = keys.headKey(this.organization);
    const [item, announcement] = await this.#snapshot([key, keys.importKey(this.organization)]);
    this.items.set(key, item);
    return { item, isImport: announcement !== undefined };
  }

  /** Reads all items. @throws NeverAtRest; RepairedMeanwhile; Failure `unavailable` if DynamoDB does not answer for long */
  async readAll(): Promise<void> {
    const { organization } = this;
    const { version } = this.head;
    this.#firstVersion = version;
    const records = this.collectionNames.map((name) => keys.recordsPartition(organization, name));
    await this.read([
      ...[
        keys.headKey(organization).pk,
        keys.queueKey(organization).pk,
        keys.dayCountPartition(organization),
        keys.requestPartition(organization),
        keys.erasedPartition(organization),
        keys.bookedPartition(organization),
        keys.preparedPartition(organization),
      ],
      ...[keys.uniquePartition(organization), ...records, ...records.map(keys.holesPartition)],
      ...(this.#scanned?.partitions ?? []),
    ]);
    this.items.isComplete = this.#scanned !== undefined;
    await this.read([...this.#announced]);
    for (const key of this.#scanned?.outside ?? []) this.#markStale(key, version);
    this.#knownTo = this.#settledTo(version);
    await this.read(this.#formerPartitions());
    await this.catchUp();
    // The former items announce the holes of their lists.
    const unread = [...this.#announced].filter((pk) => !this.items.isRead(pk));
    if (unread.length === 0) return;
    await this.read(unread);
    await this.catchUp();
  }

  /** Partitions of the former items of removed owners that a member of a list names. */
  #formerPartitions(): string[] {
    return [...this.#owners].flatMap(([name, numbers]) =>
      [...numbers]
        .filter(([number]) => (this.#records.get(name)?.get(number) ?? 0) === 0)
        .map(([number]) => keys.formerKey(this.organization, name, number).pk),
    );
  }

  /** Reads partitions that were not read yet. */
  async read(partitions: readonly string[]): Promise<void> {
    const unread = new Set(partitions.filter((pk) => !this.items.isRead(pk)));
    await inParallel(atOnce, [...unread], async (pk) => {
      const former = { pk, sk: keys.stateKey('').sk };
      // A former item is alone in its partition. Many of them are read together by `catchUp`.
      if (keys.parseFormerKey(former) && !this.#scanned) this.#markStale(former, this.#knownTo);
      else
        for await (const page of this.reads.partition(pk)) {
          this.count += page.length;
          this.items.add(pk, page);
          for (const item of page) this.#observe(keys.keyOfItem(item), item);
        }
      this.items.markRead(pk);
    });
  }

  /** Reads these items again, and all items that others have changed. */
  async readAgain(all: readonly Key[]): Promise<void> {
    for (const key of all) {
      this.#versions.delete(keys.nameOfKey(key));
      this.#markStale(key, this.#knownTo);
    }
    await this.catchUp();
  }

  /**
   * Reads what others have changed, until all items are of one version.
   * @returns false if others wrote in each round: the items are of several versions
   * @throws NeverAtRest; RepairedMeanwhile
   */
  async catchUp(): Promise<boolean> {
    const { pk, sk } = this.#eventKey(this.#lastEvent);
    for await (const page of this.reads.partition(pk, sk))
      for (const item of page) {
        this.items.set(keys.keyOfItem(item), item);
        this.#observe(keys.keyOfItem(item), item);
      }
    for (let round = 1; round <= maxRounds; round++) {
      this.#markChanges();
      await this.#readStale();
      this.#markChanges();
      if (this.#stale.size > 0) continue;
      this.#changing.clear();
      return true;
    }
    return false;
  }

  /** True if others may have changed one of the items while the latest ones were read. */
  isChanging(all: readonly Key[]): boolean {
    return all.some((key) => this.#changing.has(keys.nameOfKey(key)));
  }

  /** Takes over the changes that a transaction of this program has stored. */
  onStored(version: number, changes: readonly { key: Key; after: Item | undefined }[]): void {
    for (const { key, after } of changes) {
      this.items.set(key, after);
      this.#versions.set(keys.nameOfKey(key), version);
      this.#observe(key, after ?? {});
    }
    this.#knownTo = version;
  }

  #eventKey(number: number): Key {
    return keys.recordKey(this.organization, events.name, number);
  }

  #observe(key: Key, item: Item): void {
    const record = keys.parseRecordKey(key);
    if (record?.collection === events.name) this.#lastEvent = Math.max(this.#lastEvent, record.number);
    if (record && record.collection !== events.name) {
      note(this.#records, record.collection, record.number);
      for (const { partition } of positionsOf(item)) {
        const owner = keys.parseListPartition(this.organization, partition)?.owner;
        if (owner) note(this.#owners, owner.collection, owner.number);
      }
    }
    if (record) for (const outside of keysOutside(record.collection, item)) this.#markStale(outside, 0);
    for (const [partition, { left }] of this.statesIn(key, item))
      if (left > 0 || !record || isPipeline(record)) this.#announced.add(keys.holesPartition(partition));
    const kinds = Object.values(this.#collections.get(record?.collection ?? '')?.lists ?? {});
    if (kinds.some((kind) => kind.hasManyNames))
      for (const { partition, index } of positionsOf(item))
        if (kinds[keys.listIndexes.indexOf(index)]?.hasManyNames)
          this.#announced.add(keys.holesPartition(partition));
  }

  /** Last event that was certainly applied before the queries began. */
  #settledTo(version: number): number {
    const timeOf = (number: number) =>
      Date.parse(String(this.items.get(this.#eventKey(number))?.['createdAt']));
    let number = Math.min(version, this.#lastEvent);
    while (number > 0 && Number.isNaN(timeOf(number))) number--;
    const since = timeOf(number) - settlingTime;
    while (number > 0 && !(timeOf(number) < since)) number--;
    return number;
  }

  /** Marks the items as stale that newly known events have changed. */
  #markChanges(): void {
    const { version } = this.head;
    const end = Math.min(version, this.#lastEvent + maxMissingEvents);
    let isGap = false;
    for (let number = this.#knownTo + 1; number <= end; number++) {
      const key = this.#eventKey(number);
      const item = this.items.get(key);
      // The event's transaction may not be applied to it yet. If a serializable read of its version lacks the
      // event, the event is lost.
      if (!item) this.#markStale(key, number);
      isGap ||= !item && this.#stale.has(keys.nameOfKey(key));
      if (isGap) continue;
      if (number > this.#firstVersion && item?.['event'] === repaired) throw new RepairedMeanwhile();
      this.#knownTo = number;
      for (const { collection, number: record } of parseTouchedRecords(String(item?.['touched'])) ?? [])
        this.#markStale(keys.recordKey(this.organization, collection, record), number);
    }
    if (!isGap && end < version) this.#knownTo = version;
    // If an event is beyond the head, its transaction is not applied to the head yet, or it is damage.
    const last = Math.min(this.#lastEvent, version + maxMissingEvents);
    for (let number = version + 1; number <= last; number++) this.#markStale(this.#eventKey(number), version);
  }

  #markStale(key: Key, version: number): void {
    const name = keys.nameOfKey(key);
    // Each read includes the head and the queue's counter.
    if (key.pk === keys.headKey(this.organization).pk || key.pk === keys.queueKey(this.organization).pk)
      return;
    if ((this.#versions.get(name) ?? -1) >= version) return;
    this.#changing.add(name);
    this.#stale.set(name, { key, version: Math.max(version, this.#stale.get(name)?.version ?? 0) });
  }

  /** Reads the stale items, the head and the next events, and marks what changed with them. */
  async #readStale(): Promise<void> {
    const next = Array.from({ length: eventsAhead }, (_, at) => this.#eventKey(this.#knownTo + 1 + at));
    const always = [keys.headKey(this.organization), keys.queueKey(this.organization), ...next];
    for (const key of always) this.#stale.delete(keys.nameOfKey(key));
    const stale = [...this.#stale.values()];
    this.#stale.clear();
    const batches: (typeof stale)[] = [];
    for (let at = 0; at === 0 || at < stale.length; at += perRead)
      batches.push(stale.slice(at, at + perRead));
    await inParallel(atOnce, batches, async (batch) => {
      const all = [...always, ...batch.map(({ key }) => key)];
      const snapshot = await this.#snapshot(all);
      const { version } = parseHead(snapshot[0]);
      const newer = [...all.entries()].filter(
        ([, key]) => (this.#versions.get(keys.nameOfKey(key)) ?? 0) <= version,
      );
      for (const [, key] of newer) this.#versions.set(keys.nameOfKey(key), version);
      for (const [at, key] of newer)
        this.#replace(key, snapshot[at], batch[at - always.length]?.version ?? version);
    });
  }

  /** Replaces an item, and marks as stale the items that writes change together with it. */
  #replace(key: Key, item: Item | undefined, version: number): void {
    const before = this.items.get(key);
    this.items.set(key, item);
    if (item) this.#observe(key, item);
    for (const beside of [...this.#besides(key, before), ...this.#besides(key, item)])
      this.#markStale(beside, version);
    const states = this.statesIn(key, before);
    for (const [partition, { left, last }] of this.statesIn(key, item)) {
      const state = states.get(partition) ?? emptyList;
      if (left === state.left && last === state.last) continue;
      this.#markStale(keys.countsKey(partition), version);
      // A hole item changes only if a member leaves.
      const buckets = left === state.left ? 0 : bucketPositionOf(Math.max(1, last)).bucket + 1;
      for (let bucket = 0; bucket < buckets; bucket++)
        this.#markStale(keys.holesKey(partition, bucket), version);
    }
  }

  /**
   * Keys of the other items that a write of this item may change. The items belong to its lists, its unique values, the
   * days that it books, and its grant or phone numbers.
   */
  #besides(key: Key, item: Item | undefined): Key[] {
    const { organization } = this;
    const record = keys.parseRecordKey(key);
    if (!record || record.collection === events.name) return [];
    const { collection: name, number } = record;
    const holesAt = (partition: string, rank: number) => [
      keys.holesKey(partition, bucketPositionOf(rank).bucket),
      keys.countsKey(partition),
    ];
    const ofNumber = holesAt(keys.listPartition(organization, { collection: name }), number);
    if (!item) return ofNumber;
    const collection = this.#collections.get(name);
    const parsed = collection && v.safeParse(collection.schema, item);
    const values =
      collection && parsed?.success && hasReadableClaims(item)
        ? heldValues(organization, collection, parsed.output, item)
        : [];
    const days = entriesOf(number, parsed?.success ? collection?.booked?.(parsed.output) : undefined).keys();
    return [
      ...ofNumber,
      keys.formerKey(organization, name, number),
      ...values.map((value) => value.key),
      ...[...days].map((day) => keys.bookedKey(organization, day)),
      ...keysOutside(name, item),
      ...positionsOf(item).flatMap(({ partition, rank }) => {
        const owner = keys.parseListPartition(organization, partition)?.owner;
        const former = owner ? [keys.formerKey(organization, owner.collection, owner.number)] : [];
        return [...holesAt(partition, rank), keys.stateKey(partition), ...former];
      }),
    ];
  }

  /**
   * List states in an item, by partition. The item is the head, an owner, a former item, or a list's state item.
   */
  statesIn(key: Key, item: Item | undefined): ReadonlyMap<string, ListState> {
    const partition = key.sk === keys.stateKey('').sk ? keys.listOfHoles(key.pk) : undefined;
    const own = readState(item?.['state']);
    if (partition !== undefined && own) return new Map([[partition, own]]);
    const owner: ListKey['owner'] = keys.parseRecordKey(key) ?? keys.parseFormerKey(key);
    const states = new Map<string, ListState>();
    for (const [name, text] of Object.entries(readableStates(item ?? {}))) {
      const [list, state] = [keys.parseStateName(name), readState(text)];
      if (list && state) states.set(keys.listPartition(this.organization, { ...list, owner }), state);
    }
    return states;
  }

  /** Reads items of one instant. Tries again while transactions hold one of them. @throws NeverAtRest */
  async #snapshot(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    for (let tries = 1; tries <= maxTries; tries++) {
      const items = await this.reads.snapshot(keys);
      if (items) return items;
      await retryWait(this.reads.system, Math.min(tries, 3));
    }
    throw new NeverAtRest();
  }
}

function note(noted: Map<string, SparseNumbers>, collection: string, number: number): void {
  const numbers = noted.get(collection) ?? new SparseNumbers();
  noted.set(collection, numbers);
  numbers.set(number, 1);
}
