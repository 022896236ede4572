import * as v from 'valibot';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import type { Collection, OwnedList, RecordRef, RecordOf } from './collection.ts';
import { filteredList, numberingOf, parseHead, type Head } from './head.ts';
import { numberOf, largestNumber } from '../../core/ids.ts';
import { deletedKey, headKey, recordKey, viewKey } from './keys.ts';
import { liveCount, pageNumbers, type Numbering } from './numbering.ts';
import type { System } from '../../core/system.ts';
import { parseRecord, revisionOf } from './stored-record.ts';
import type { TableClient } from './table-client.ts';
import { partsOf, type View } from './write.ts';
import { notFound } from '../../core/failure.ts';

import type { Page, PageQuery } from '../../core/page.ts';
/** What was read of a list: whether it is the list as its head or owner says, and the answer that it makes. */
interface Attempt<T> {
  isWhole: boolean;
  answer: T;
}

/**
 * How often a list is read until it is whole. The waits between add up to 0.3 s at least: an index is seldom behind for
 * longer, and a transaction on its way is there within milliseconds.
 */
const maxTries = 12;
const firstWait = 5;
const longestWait = 80;

/** How many buckets of holes a page reads at most; what is beyond them is checked by its count alone. */
const maxBuckets = 2;

/**
 * What a client reads of one organization's ledger.
 *
 * - One record is read strongly: as it is now.
 * - A page is the list as it was at one version of the head: its total, and which records are on it. Plain reads can see
 *   half of a transaction, or an index that is behind; so what was read is compared with what the head or the owner says
 *   must be there, and read again where it differs, a bounded number of times.
 * - Each record on a page is as it was at that version or, while a change of it was on its way, just before.
 *
 * Every method throws a Failure `unavailable` when DynamoDB cannot carry it out before the caller's deadline.
 */
export class Reader {
  protected readonly table: TableClient;
  protected readonly system: System;
  protected readonly caller: Caller;

  constructor(table: TableClient, system: System, caller: Caller) {
    this.table = table;
    this.system = system;
    this.caller = caller;
  }

  /** Where the record with this public id is. @throws Failure `notFound` when no record here can have that id. */
  ref<C extends Collection>(collection: C, id: string | number): RecordRef<C> {
    const ref = this.tryRef(collection, id);
    if (ref === undefined) throw notFound(collection.label);
    return ref;
  }

  /** Where the record with this public id is, or undefined when no record here can have that id. */
  tryRef<C extends Collection>(collection: C, id: string | number): RecordRef<C> | undefined {
    const { prefix } = collection;
    const number =
      prefix === undefined ? integerId(String(id)) : numberOf(prefix, this.caller.organization, String(id));
    return number === undefined ? undefined : { collection, number };
  }

  /** Whether there is time to begin something more, and keep this much of it, in milliseconds. */
  hasTime(reserve = 0): boolean {
    return this.system.now() + reserve < this.caller.deadline;
  }

  /**
   * One record as it is now. One round trip; where it is not there, a serializable read more, since another record that
   * names it can be seen a moment before it. @throws Failure `notFound`
   */
  async get<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C>> {
    const record = (await this.getOrUndefined(ref)) ?? (await this.#lookSerializably(ref));
    if (record === undefined) throw notFound(ref.collection.label);
    return record;
  }

  async #lookSerializably<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C> | undefined> {
    const item = await this.#untilWhole(async () => {
      const items = await this.table.snapshot([this.keyOf(ref)]);
      return { isWhole: items !== undefined, answer: items?.[0] };
    });
    return item && parseRecord(ref.collection, item);
  }

  /** One record as it is now, or undefined where there is none. One round trip. */
  async getOrUndefined<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C> | undefined> {
    const item = await this.table.get(this.keyOf(ref));
    return item && parseRecord(ref.collection, item);
  }

  /**
   * A record that another one names. One round trip; where both were stored just now, it may come a moment after the
   * other, and is waited for. @throws Error when it does not come.
   */
  async getNamed<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C>> {
    const record = await this.#untilWhole(async () => {
      const answer = await this.getOrUndefined(ref);
      return { isWhole: answer !== undefined, answer };
    });
    if (record === undefined)
      throw new Error(`There is no ${ref.collection.label} ${ref.number}, which a record names`);
    return record;
  }

  /** The records, of at most 100, that are there, by their numbers. One round trip. */
  async getMany<C extends Collection>(
    collection: C,
    numbers: readonly number[],
  ): Promise<Map<number, RecordOf<C>>> {
    const keys = [...new Set(numbers)].map((number) => this.keyOf({ collection, number }));
    const items = keys.length === 0 ? [] : await this.table.getMany(keys);
    return new Map(items.map((item) => [numberAt(item), parseRecord(collection, item)] as const));
  }

  /**
   * Every record of a small collection, by number ascending: one that the domain keeps small. One query; where numbers
   * are missing among them, also the head, which says whether they are rightly.
   */
  async all<C extends Collection>(collection: C): Promise<RecordOf<C>[]> {
    const { pk } = this.keyOf({ collection, number: 1 });
    return this.#untilWhole(async () => {
      const items = await this.table.partition(pk);
      const hasGap = items.some((item, at) => numberAt(item) !== at + 1);
      const isWhole = !hasGap || liveCount(numberingOf(await this.head(), collection.name)) === items.length;
      return { isWhole, answer: items.map((item) => parseRecord(collection, item)) };
    });
  }

  /**
   * A page of a collection, newest first. The first page is one round trip: the head and the page. Any other reads the
   * head, then the page's records and no others; among deleted records also the bucket of their numbers.
   */
  async page<C extends Collection>(collection: C, { page, limit }: PageQuery): Promise<Page<RecordOf<C>>> {
    const rank = (page - 1) * limit;
    const query = (from: number, count: number) => {
      const { pk, sk } = this.keyOf({ collection, number: from });
      return this.table.newestFirst({ pkName: 'pk', pk, skName: 'sk' }, { from: sk }, count);
    };
    return this.#untilWhole(async () => {
      const newest = rank === 0 ? query(largestNumber, limit) : undefined;
      const [head, first] = await Promise.all([this.head(), newest]);
      const numbering = numberingOf(head, collection.name);
      const wanted = await this.#numbersOf(collection, numbering, { rank, limit });
      const [from] = wanted.known;
      const items = first ?? (from === undefined ? [] : await query(from, wanted.length));
      const isWhole =
        wanted.isKnown &&
        items.length === wanted.length &&
        wanted.known.every((number, at) => numberAt(items[at]) === number) &&
        !isNewer(items, head);
      const answer = items.map((item) => parseRecord(collection, item));
      return { isWhole, answer: { items: answer, totalCount: liveCount(numbering) } };
    });
  }

  /** A page of a view of the whole organization, newest first: the head and the page, at once where it is the first. */
  async filtered<C extends Collection>(
    collection: C,
    view: View & { filter: string },
    query: PageQuery,
  ): Promise<Page<RecordOf<C>>> {
    return this.#untilWhole(async () => {
      let head: Head | undefined;
      const { isWhole, items, answer } = await this.#view(collection, view, query, async () => {
        head = await this.head();
        return liveCount(numberingOf(head, filteredList(collection, view.filter)));
      });
      return { isWhole: isWhole && head !== undefined && !isNewer(items, head), answer };
    });
  }

  /**
   * A page of a list that belongs to one record, newest first, and that record: both at once where it is the first page.
   * Where the record is gone, the list is as long as the rank of its newest member says. One that another record names
   * (`isNamed`) is waited for, as `getNamed` does.
   */
  async owned<O extends Collection, C extends Collection>(
    owner: RecordRef<O>,
    collection: C,
    view: Omit<View, 'owner'>,
    query: PageQuery,
    { isNamed = false } = {},
  ): Promise<Page<RecordOf<C>> & { owner: RecordOf<O> | undefined }> {
    return this.#untilWhole(async () => {
      let record: RecordOf<O> | undefined;
      const { isWhole, answer } = await this.#view(collection, { ...view, owner }, query, async () => {
        record = await this.getOrUndefined(owner);
        return record && lengthOf(owner.collection.lists?.(record) ?? [], collection, view);
      });
      const isThere = record !== undefined || !isNamed;
      return { isWhole: isWhole && isThere, answer: { ...answer, owner: record } };
    });
  }

  /** @throws OtherForm when the organization's data is of another version of the code */
  protected async head(): Promise<Head> {
    return parseHead(await this.table.get(headKey(this.caller.organization)));
  }

  protected keyOf({ collection, number }: RecordRef) {
    return recordKey(this.caller.organization, collection.name, number);
  }

  /** One try to read a page of a view. `countNow` reads how long the view is, or undefined where only it can tell. */
  async #view<C extends Collection>(
    collection: C,
    { index, ...view }: View,
    { page, limit }: PageQuery,
    countNow: () => Promise<number | undefined>,
  ): Promise<Attempt<Page<RecordOf<C>>> & { items: Item[] }> {
    const pk = viewKey(this.caller.organization, partsOf(collection, view));
    const skName = `${index}Rank`;
    const query = (range: { from: number; to?: number }, count: number) =>
      this.table.newestFirst({ index, pkName: index, pk, skName }, range, count);
    const rankOf = (item: Item | undefined) => v.parse(v.optional(v.number(), 0), item?.[skName]);

    const newest = page === 1 ? query({ from: Number.MAX_SAFE_INTEGER }, limit) : undefined;
    const [counted, first] = await Promise.all([countNow(), newest]);
    const last = counted ?? rankOf((first ?? (await query({ from: Number.MAX_SAFE_INTEGER }, 1)))[0]);
    const from = last - (page - 1) * limit;
    const length = Math.max(0, Math.min(limit, from));
    // Asked for by their ranks: else an older one would stand in for one that is missing.
    const read = first ?? (length === 0 ? [] : await query({ from, to: from - length + 1 }, length));
    const isWhole = read.length === length && read.every((item, at) => rankOf(item) === from - at);
    // Those that joined since the count was read, or that took the place of a missing one, are on no page of that count.
    const items = read.filter((item) => rankOf(item) <= from && rankOf(item) > from - length);
    const answer = items.map((item) => parseRecord(collection, item));
    return { isWhole, items, answer: { items: answer, totalCount: last } };
  }

  /** The numbers of a page, with the buckets of holes that tell them; not known where a bucket does not fit the head. */
  async #numbersOf(
    { name }: Collection,
    numbering: Numbering,
    ranks: { rank: number; limit: number },
  ): Promise<{ known: number[]; length: number; isKnown: boolean }> {
    const holes = new Map<number, ReadonlySet<number>>();
    for (;;) {
      const { unknownBucket, ...numbers } = pageNumbers(numbering, ranks, holes);
      if (unknownBucket === undefined || holes.size === maxBuckets) return { ...numbers, isKnown: true };
      const item = await this.table.get(deletedKey(this.caller.organization, name, unknownBucket));
      const offsets = item ? v.parse(DeletedOffsets, item).offsets : new Set<number>();
      if (offsets.size !== numbering.deleted[unknownBucket]) return { ...numbers, isKnown: false };
      holes.set(unknownBucket, offsets);
    }
  }

  /** Reads until what was read is whole; after so many tries, or where there is no time, what is there must do. */
  async #untilWhole<T>(read: () => Promise<Attempt<T>>): Promise<T> {
    for (let tries = 1, wait = firstWait; ; tries++, wait = Math.min(longestWait, wait * 2)) {
      const { isWhole, answer } = await read();
      const pause = wait * (0.5 + this.system.random() / 2);
      if (isWhole || tries === maxTries || !this.hasTime(pause)) return answer;
      await this.system.sleep(pause);
    }
  }
}

/** A record's number, from its sort key. No schema: a list has many of them. */
const numberAt = (item: Item | undefined) => Number(item?.['sk']);
const DeletedOffsets = v.object({ offsets: v.set(v.number()) });

/** Whether a record was changed by a write that this head does not know of. */
const isNewer = (items: readonly Item[], { version }: Head) =>
  items.some((item) => revisionOf(item) > version);

/** The length of one of the lists of a record. */
function lengthOf(
  lists: readonly OwnedList[],
  { name }: Collection,
  { index, filter }: Omit<View, 'owner'>,
): number {
  const list = lists.find((one) => one.of === name && one.index === index && one.filter === filter);
  if (!list) throw new Error(`No list of ${name} is declared for ${index}`);
  return list.length;
}

/** The number that is a record's id, or undefined for what cannot be one. */
function integerId(id: string): number | undefined {
  return /^[1-9]\d{0,11}$/.test(id) ? Number(id) : undefined;
}
