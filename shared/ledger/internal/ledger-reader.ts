import * as v from 'valibot';
import { notFound, unavailable } from '../../core/failure.ts';
import { largestNumber, type OrganizationCode } from '../../core/ids.ts';
import type { Page, PageQuery } from '../../core/page.ts';
import { partsOf } from '../../core/parts-of.ts';
import type { System } from '../../core/system.ts';
import { retryWaits, waitAfter } from '../../core/waits.ts';
import type { Item } from './attributes.ts';
import { bookedIn, daysTouchedBy, type Booked } from './booked.ts';
import type { Principal } from './principal.ts';
import { preparedUnchanged } from './conditions.ts';
import {
  events,
  type Collection,
  type IdOf,
  type LedgerEvent,
  type ListKindName,
  type RecordOf,
  type RecordRef,
  type SearchableName,
  type UniqueValue,
} from './collection.ts';
import { Deliveries } from './deliveries.ts';
import { lastUseIn } from './grant.ts';
import { configurationOf, ListStates, parseHead, stateIn, type Head } from './head.ts';
import {
  bookedPartition,
  formerKey,
  grantKey,
  headKey,
  keyOfItem,
  nameOfKey,
  preparedKey,
  recordKey,
  recordsPartition,
  sortable,
  stateKey,
  stateName,
  uniqueKey,
  uniquePartition,
  type Key,
} from './keys.ts';
import { readPage, type PageAttempt } from './read-page.ts';
import { lengthOf, parseState, statePattern, type ListState } from './list-state.ts';
import { lengthsOwned, listOf, listOfAll, listOfEvents, type List } from './lists.ts';
import { idFor, idOf, numberAt, numberOfId, parseRecord, revisionOf } from './stored-record.ts';
import { maxSettled, type TableClient } from './table-client.ts';
import { parseTouchedRecords, type TouchedRecord } from './touched-records.ts';
import { findBetween } from './find-between.ts';
import { formOf, heldValues, holderIn, keyOfValue } from './unique-values.ts';

/** A page of a list that a record owns, and that record, if it exists. */
export type OwnedPage<O extends Collection, C extends Collection> = Page<RecordOf<C>> & {
  owner: RecordOf<O> | undefined;
};

/** An event, with facts about its write. */
export interface StoredEvent {
  event: LedgerEvent;
  /** Number of the last event of the same write. */
  write: number;
  /**
   * Records that the write stored or removed, and records that show one of these. Only the last event of a write has
   * them: for other events, the list is empty.
   */
  changed: readonly TouchedRecord[];
}

/** Events, with the version and the epoch of the head at that time. */
export interface EventsAfter {
  events: StoredEvent[];
  version: number;
  epoch: string;
}

/** The result of one try to read. */
interface Try<T> {
  /** True if the parts of the answer fit together. Otherwise the reader tries again. */
  isConsistent: boolean;
  answer: T;
}

/**
 * Maximum number of tries until a read is consistent. The waits add up to at least 0.3 s: an index is
 * seldom behind for longer, and a transaction takes milliseconds.
 */
const maxTries = 12;

/**
 * The reads of one organization's ledger.
 *
 * - Reads of one record are strongly consistent.
 * - A page shows the total and the members at one version of the head. A plain read can see half of a transaction, or a
 *   lagging index. The reader therefore compares a page with the state in the head or the owner, and reads again if
 *   they differ. If they still differ after `maxTries` tries, or no time is left, the reader returns the last page
 *   without the records that no longer exist. A walk fails instead: Failure `unavailable`.
 * - Each record on a page belongs to that version. If a change was under way, the record can be one change older. If
 *   the list's state is not in the head, the record can also be newer.
 *
 * Every method throws Failure `unavailable` if DynamoDB does not answer before the principal's deadline. If the reads are
 * serializable, a method also throws this failure instead of returning an inconsistent answer.
 */
export class LedgerReader {
  protected readonly table: TableClient;
  protected readonly system: System;
  protected readonly principal: Principal;

  constructor(table: TableClient, system: System, principal: Principal) {
    this.table = table;
    this.system = system;
    this.principal = principal;
  }

  get organization(): OrganizationCode {
    return this.principal.organization;
  }

  /** Cursors, deliveries and receivers' answers of the organization's webhooks. */
  get deliveries(): Deliveries {
    return new Deliveries(this.table, this.system, this.principal);
  }

  /**
   * The record's key, from its public id. @throws Failure `notFound` if no record of the organization can
   * have that id
   */
  ref<C extends Collection>(collection: C, id: string | number): RecordRef<C> {
    const ref = this.tryRef(collection, id);
    if (ref === undefined) throw notFound(collection.label);
    return ref;
  }

  /** The record's key, from its public id; undefined if no record of the organization can have that id. */
  tryRef<C extends Collection>(collection: C, id: string | number): RecordRef<C> | undefined {
    const number = numberOfId(collection, this.principal.organization, id);
    return number === undefined ? undefined : { collection, number };
  }

  /**
   * The current state of a record. One round trip. If a plain read finds no record, a serializable read decides: the
   * transaction that adds the record may be under way. @throws Failure `notFound`
   */
  async get<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C>> {
    return (await this.getOrUndefined(ref)) ?? (await this.getSettled(ref));
  }

  /**
   * One record by a serializable read, once no transaction holds the record. Unlike a plain read, this read shows no
   * record that a transaction is removing. @throws Failure `notFound`
   */
  async getSettled<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C>> {
    const item = await this.settledItem(this.keyOf(ref));
    if (item === undefined) throw notFound(ref.collection.label);
    return parseRecord(ref.collection, item);
  }

  /** The item with this key, once no transaction holds it. */
  protected async settledItem(key: Key): Promise<Item | undefined> {
    const [item] = await this.table.settledSnapshot([key]);
    return item;
  }

  /** The current state of a record, or undefined if there is none. One round trip. */
  async getOrUndefined<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C> | undefined> {
    const item = await this.table.get(this.keyOf(ref));
    return item && parseRecord(ref.collection, item);
  }

  /**
   * Two records at one moment, by a serializable read. One round trip, at twice the price of a plain read.
   * @throws Failure `notFound`; `unavailable` if writes held one of the records in every try
   */
  async getBoth<A extends Collection, B extends Collection>(
    one: RecordRef<A>,
    other: RecordRef<B>,
  ): Promise<[RecordOf<A>, RecordOf<B>]> {
    const items = await this.#untilConsistent(async () => {
      const answer = await this.table.snapshot([this.keyOf(one), this.keyOf(other)]);
      return { isConsistent: answer !== undefined, answer };
    });
    if (items === undefined) throw unavailable();
    const [first, second] = items;
    if (!first) throw notFound(one.collection.label);
    if (!second) throw notFound(other.collection.label);
    return [parseRecord(one.collection, first), parseRecord(other.collection, second)];
  }

  /**
   * A record that another record refers to. One round trip. If a plain read finds no record, a serializable read
   * decides: the record may become visible just after the other record. @throws Error if there is none
   */
  async getReferenced<C extends Collection>(ref: RecordRef<C>): Promise<RecordOf<C>> {
    const key = this.keyOf(ref);
    const item = (await this.table.get(key)) ?? (await this.settledItem(key));
    if (item === undefined)
      throw new Error(`There is no ${ref.collection.label} ${ref.number}, which a record names`);
    return parseRecord(ref.collection, item);
  }

  /**
   * A record, and the lengths of the lists of this kind that the record owns, by list name. Undefined if there is no
   * record. One round trip. One item has everything, so record and lengths belong to the same version.
   */
  async getWithCounts<O extends Collection, C extends Collection>(
    ref: RecordRef<O>,
    collection: C,
    kind: ListKindName<C>,
  ): Promise<{ record: RecordOf<O>; counts: ReadonlyMap<string, number> } | undefined> {
    const item = await this.table.get(this.keyOf(ref));
    if (!item) return undefined;
    const counts = lengthsOwned(v.parse(OwnerItem, item).lists, collection, kind);
    return { record: parseRecord(ref.collection, item), counts };
  }

  /**
   * The live record that holds a unique value, or undefined. Two round trips: the value's claim, then the
   * record. Reads again while the record does not hold the value: a write may be moving the value to another
   * record.
   */
  async findByUnique<C extends Collection>(
    collection: C,
    unique: UniqueValue,
  ): Promise<RecordOf<C> | undefined> {
    const { organization } = this.principal;
    const key = keyOfValue(organization, collection, unique);
    if (!key) return undefined;
    return this.#untilConsistent<RecordOf<C> | undefined>(async () => {
      const claim = await this.table.get(key);
      if (!claim) return { isConsistent: true, answer: undefined };
      const ref = this.tryRef(collection, holderIn(claim));
      const item = ref && (await this.table.get(this.keyOf(ref)));
      const record = item && parseRecord(collection, item);
      const held = record ? heldValues(organization, collection, record, item) : [];
      const isHeld = held.some((value) => value.key.sk === key.sk);
      return { isConsistent: isHeld, answer: isHeld ? record : undefined };
    });
  }

  /**
   * Public id of the live record that holds a unique value, or undefined. One round trip. A write may be moving the value to
   * another record.
   */
  async findHolder(collection: Collection, unique: UniqueValue): Promise<string | undefined> {
    const key = keyOfValue(this.organization, collection, unique);
    const claim = key && (await this.table.get(key));
    return claim && String(holderIn(claim));
  }

  /**
   * The unique values of one field that begin like `value`, with their holders, in the order of code points: at most
   * `limit`, after the value `after` if it is given. One query, strongly consistent: one read unit for some forty values.
   * A write may be moving a value to another record.
   */
  async valuesBeginning<C extends Collection>(
    collection: C,
    unique: UniqueValue,
    { limit, after }: { limit: number; after?: string | undefined },
  ): Promise<{ value: string; id: IdOf<C> }[]> {
    const pk = uniquePartition(this.organization);
    const keyOf = (folded: string) =>
      uniqueKey(this.organization, { kind: `${collection.name}.${unique.field}`, folded }).sk;
    const begin = keyOf(formOf(unique));
    // No character comes before a null character, and none after U+10FFFF.
    const range = {
      from: after === undefined ? begin : `${keyOf(after)}\0`,
      to: `${begin}\u{10FFFF}`,
    };
    const items = await this.table.between({ pkName: 'pk', pk, skName: 'sk' }, range, {
      limit,
      pkOfItems: pk,
    });
    return items.map((item) => ({
      value: String(item['sk']).slice(keyOf('').length),
      id: idFor(collection, holderIn(item)),
    }));
  }

  /**
   * The first `max` records with a searchable field that is at least `from` and less than `to`, ignoring case and
   * accents. The order is by that field, then by record number. Reads one entry per record. Eventually consistent: a
   * new record may be missing, and a found record may lack its last change, or may no longer exist.
   */
  findBetween<C extends Collection>(
    collection: C,
    searchable: SearchableName<C>,
    range: { from: string; to: string },
    max: number,
  ): Promise<RecordOf<C>[]> {
    return findBetween(this.table, this.principal.organization, collection, { searchable, ...range, max });
  }

  /**
   * The records with a `createdAt` from `from` on and before `to` (ISO 8601, UTC), newest first, at most `max`. An end can
   * be left out. Searches the numbers by time, because numbers are given out in the order of the writes. Clocks of writers
   * can differ: by so much the ends are not exact. One read of the head, and one query of the range. A given end takes a
   * round trip of three reads for each two bits of the last number.
   */
  async createdBetween<C extends Collection>(
    collection: C,
    { from, to }: { from?: string | undefined; to?: string | undefined },
    max: number,
  ): Promise<RecordOf<C>[]> {
    const { last } = stateIn(await this.head(), { collection: collection.name });
    const pk = recordsPartition(this.organization, collection.name);
    const key = { pkName: 'pk', pk, skName: 'sk' };
    // The record with the largest number up to this number; a deleted record has none.
    const createdUpTo = async (number: number) => {
      const [item] = await this.table.newestFirst(
        key,
        { from: sortable(number) },
        { limit: 1, pkOfItems: pk },
      );
      const createdAt = item?.['createdAt'];
      return typeof createdAt === 'string' ? createdAt : '';
    };
    const firstFrom = (time: string) =>
      firstNumber(last, async (number) => (await createdUpTo(number)) >= time);
    const [first, end] = await Promise.all([
      from === undefined ? 1 : firstFrom(from),
      to === undefined ? last + 1 : firstFrom(to),
    ]);
    if (first >= end) return [];
    const range = { from: sortable(end - 1), to: sortable(first) };
    const items = await this.table.newestFirst(key, range, { limit: max, pkOfItems: pk });
    return items.map((item) => parseRecord(collection, item));
  }

  /**
   * All bookings on the days (UTC) that a span touches: see `Write.readBooked`. One query, strongly consistent. The
   * result belongs to no version: if a write is moving a booking, the result may show its old time, its new time, or
   * neither.
   */
  async booked(from: string, to: string): Promise<Booked[]> {
    const days = daysTouchedBy(from, to);
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return [];
    const pk = bookedPartition(this.principal.organization);
    const key = { pkName: 'pk', pk, skName: 'sk' };
    const items = await this.table.between(key, { from: first, to: last }, { pkOfItems: pk });
    return bookedIn(items.map((item) => [String(item['sk']), item]));
  }

  /** The existing records among these numbers (at most 100), by number. One round trip. */
  async getMany<C extends Collection>(
    collection: C,
    numbers: readonly number[],
  ): Promise<Map<number, RecordOf<C>>> {
    const keys = [...new Set(numbers)].map((number) => this.keyOf({ collection, number }));
    const items = keys.length === 0 ? [] : await this.table.getMany(keys);
    return new Map(items.map((item) => [numberAt(item), parseRecord(collection, item)] as const));
  }

  /**
   * A page, each record with the record of another collection that it refers to. One round trip more than the page. If
   * a plain read does not find a referenced record, a serializable read decides: that record may become visible just
   * after the page's record. If there is no referenced record, both were deleted together, and the page is read again.
   * The last try leaves out records with a missing referenced record.
   */
  async withReferenced<T, C extends Collection>(
    readPage: () => Promise<Page<T>>,
    collection: C,
    numberOf: (record: T) => number,
  ): Promise<Page<{ record: T; referenced: RecordOf<C> }>> {
    return this.#untilConsistent(async () => {
      const { items: records, ...page } = await readPage();
      const numbers = records.map(numberOf);
      const found = await this.getMany(collection, numbers);
      const missing = numbers.filter((number) => !found.has(number));
      const keys = missing.map((number) => this.keyOf({ collection, number }));
      for (const item of await this.table.settledMany(keys))
        found.set(numberAt(item), parseRecord(collection, item));
      const items = records.flatMap((record) => {
        const referenced = found.get(numberOf(record));
        return referenced ? [{ record, referenced }] : [];
      });
      return { isConsistent: items.length === records.length, answer: { ...page, items } };
    });
  }

  /**
   * All records of a collection that the domain keeps small, by number ascending. One query. If numbers are missing,
   * also reads the head to check that the missing records were deleted.
   */
  async all<C extends Collection>(collection: C): Promise<RecordOf<C>[]> {
    const { pk } = this.keyOf({ collection, number: 1 });
    return this.#untilConsistent(async () => {
      const items = await this.table.partition(pk);
      const hasGap = items.some((item, at) => numberAt(item) !== at + 1);
      const isConsistent =
        !hasGap || lengthOf(stateIn(await this.head(), { collection: collection.name })) === items.length;
      return { isConsistent, answer: items.map((item) => parseRecord(collection, item)) };
    });
  }

  /**
   * Days (UTC) of the last uses of tokens, in the order of their hashes; undefined for a token without a noted use. One
   * round trip, a serializable read for each hundred tokens.
   */
  async lastUsesOf(tokenHashes: readonly string[]): Promise<(string | undefined)[]> {
    const items = await this.table.settledMany(tokenHashes.map(grantKey));
    const found = new Map(items.map((item) => [item['pk'], lastUseIn(item, this.organization)]));
    return tokenHashes.map((hash) => found.get(grantKey(hash).pk));
  }

  /**
   * The events after a number, oldest first, at most `limit`, with the head's version and epoch at that time. One round
   * trip: head and events are read together. The events have no gaps. If a transaction is half applied, the events are
   * read again. The last try leaves out all events after the first missing event.
   */
  async eventsAfter(after: number, limit: number): Promise<EventsAfter> {
    const { pk } = this.keyOf({ collection: events, number: 1 });
    const key = { pkName: 'pk', pk, skName: 'sk' };
    const range = { from: sortable(Math.min(after + limit, largestNumber)), to: sortable(after + 1) };
    return this.#untilConsistent(async () => {
      const [head, newestFirst] = await Promise.all([
        this.head(),
        this.table.newestFirst(key, range, { limit, pkOfItems: pk }),
      ]);
      // A caller that got event `after` elsewhere can know a newer head than this plain read.
      const { version, epoch } = head.version < after ? await this.#settledHead() : head;
      const items = newestFirst.toReversed().filter((item) => numberAt(item) <= version);
      const gap = items.findIndex((item, at) => numberAt(item) !== after + 1 + at);
      const whole = gap === -1 ? items : items.slice(0, gap);
      return {
        isConsistent: whole.length >= Math.min(limit, version - after),
        answer: { events: whole.map(toStoredEvent), version, epoch },
      };
    });
  }

  /**
   * A text that is made from the configuration: from the first `maxPrepared` records of some of its collections. The
   * text is stored, and made again after the configuration has changed. One round trip if the stored text is current,
   * four if not. A new text is not stored if writers hold one of the records during all tries.
   *
   * @param name name of the text, including its format version
   * @param onOld receives an outdated stored text, before the new text is made
   */
  async prepared(
    name: string,
    collections: readonly Collection[],
    make: (all: ConfigurationReader) => string,
    onOld?: (text: string) => void,
  ): Promise<string> {
    const key = preparedKey(this.principal.organization, name);
    const [head, item] = await Promise.all([this.head(), this.table.get(key)]);
    const stored = item && v.parse(PreparedItem, item);
    if (stored?.madeFrom === configurationOf(head)) return stored.text;
    if (stored) onOld?.(stored.text);
    const { madeFrom, items } = await this.#configuration(collections, head);
    const text = make((collection) =>
      (items.get(collection.name) ?? []).map((each) => parseRecord(collection, each)),
    );
    if (madeFrom !== undefined)
      await this.table.update(key, { set: { madeFrom, text } }, preparedUnchanged(stored?.madeFrom));
    return text;
  }

  /**
   * The first records of some collections, by number ascending. No record is older than the configuration that
   * `madeFrom` names. A query can see half of a transaction, so a serializable read reads each record once more.
   * `madeFrom` is undefined if no try was consistent.
   */
  #configuration(collections: readonly Collection[], known: Head) {
    return this.#untilConsistent(async (isRetry) => {
      const head = isRetry ? await this.head() : known;
      const parts = await Promise.all(collections.map((collection) => this.#firstSettled(collection, head)));
      const isConsistent = parts.every((part) => part.isConsistent);
      const items = new Map(collections.map(({ name }, at) => [name, parts[at]?.answer ?? []]));
      return { isConsistent, answer: { madeFrom: isConsistent ? configurationOf(head) : undefined, items } };
    });
  }

  /** The first records of a collection, as `#configuration` reads them. */
  async #firstSettled({ name }: Collection, head: Head): Promise<Try<Item[]>> {
    const pk = recordsPartition(this.organization, name);
    const range = { from: sortable(1), to: sortable(largestNumber) };
    const limit = maxPrepared;
    const found = await this.table.between({ pkName: 'pk', pk, skName: 'sk' }, range, {
      limit,
      pkOfItems: pk,
    });
    const parts = partsOf(found.map(keyOfItem), maxSettled);
    const settled = await Promise.all(parts.map((some) => this.table.snapshot(some)));
    if (settled.includes(undefined)) return { isConsistent: false, answer: found };
    const answer = settled.flatMap((some = []) => some.filter((item) => item !== undefined));
    const state = stateIn(head, { collection: name });
    const known = answer.filter((item) => numberAt(item) <= state.last);
    // A missing record becomes visible soon. If `limit` records were found, there may be more, so their number proves
    // nothing.
    return { isConsistent: found.length === limit || known.length === lengthOf(state), answer };
  }

  /** A page of a collection, or a step of a walk through it. `readPage` states the cost. */
  page<C extends Collection>(collection: C, query: PageQuery): Promise<Page<RecordOf<C>>> {
    return this.#pageOfHead(collection, listOfAll(this.principal.organization, collection), query);
  }

  /** A page of a list that no record owns, or a step of a walk. */
  async list<C extends Collection>(
    collection: C,
    kind: ListKindName<C>,
    name: string,
    query: PageQuery,
  ): Promise<Page<RecordOf<C>>> {
    const list = listOf(this.principal.organization, collection, kind, { name });
    if (!list.hasManyNames) return this.#pageOfHead(collection, list, query, name);
    const page = await this.#untilConsistentPage(query, async (isRetry) => {
      const readState = () => this.#ownState(list);
      const { isConsistent, ...answer } = await readPage(this.table, list, query, readState, isRetry);
      return { isConsistent, answer };
    });
    return parsePage(collection, page);
  }

  /**
   * A page of a list, or a step of a walk, and the record that owns the list. One round trip for the first page. If the owner
   * is gone, the list's state comes from its former item, with one more round trip. With `isReferenced`, a serializable
   * read decides if a plain read finds no owner: see `getReferenced`.
   *
   * @example
   * // `lists.company` of the collection `notes` names a company as the owner.
   * const ref = ledger.ref(companies, companyId); // A bad id is a 404.
   * const { owner, ...page } = await ledger.ownedList(ref, notes, 'company', { page: 1, limit: 50 });
   * // A company that is gone is no owner.
   * if (owner === undefined) throw notFound(companies.label);
   * return page;
   */
  async ownedList<O extends Collection, C extends Collection>(
    owner: RecordRef<O>,
    collection: C,
    kind: ListKindName<C>,
    query: PageQuery,
    { name, isReferenced = false }: { name?: string | undefined; isReferenced?: boolean } = {},
  ): Promise<OwnedPage<O, C>> {
    const { organization } = this.principal;
    const id = idOf(owner.collection, organization, owner.number);
    const membership = { owner: { collection: owner.collection, id }, ...(name !== undefined && { name }) };
    const list = listOf(organization, collection, kind, membership);
    return this.#pageOfOwner(owner, collection, list, query, { name, isReferenced });
  }

  /** A page of a record's events, newest first, and that record: see `ownedList`. */
  eventsOf<O extends Collection>(
    owner: RecordRef<O>,
    query: PageQuery,
  ): Promise<OwnedPage<O, typeof events>> {
    return this.#pageOfOwner(owner, events, listOfEvents(this.principal.organization, owner), query);
  }

  /** The organization's country. One round trip. */
  async country(): Promise<string> {
    return (await this.head()).country;
  }

  /** @throws OtherFormat if the data has another storage format */
  protected async head(): Promise<Head> {
    return parseHead(await this.table.get(headKey(this.principal.organization)));
  }

  async #settledHead(): Promise<Head> {
    return parseHead(await this.settledItem(headKey(this.principal.organization)));
  }

  protected keyOf({ collection, number }: RecordRef) {
    return recordKey(this.principal.organization, collection.name, number);
  }

  /** The state of a list that has a state item. */
  async #ownState({ partition }: List): Promise<ListState> {
    const item = await this.table.get(stateKey(partition));
    return parseState(item && v.parse(StateItem, item).state);
  }

  /**
   * Former item of a removed record, with the states of the record's lists. If a plain read finds no former item, a
   * serializable read checks again: the transaction that removes the record may be under way.
   */
  async #formerOf({ collection, number }: RecordRef): Promise<Item | undefined> {
    const key = formerKey(this.principal.organization, collection.name, number);
    return (await this.table.get(key)) ?? (await this.settledItem(key));
  }

  /** A page of a list with its state in the head. */
  async #pageOfHead<C extends Collection>(
    collection: C,
    list: List,
    query: PageQuery,
    name?: string,
  ): Promise<Page<RecordOf<C>>> {
    const inHead = { collection: collection.name, index: list.index, name };
    const page = await this.#untilConsistentPage(query, async (isRetry) => {
      let head: Head | undefined;
      const readState = async () => stateIn((head = await this.head()), inHead);
      const { isConsistent, ...answer } = await readPage(this.table, list, query, readState, isRetry);
      const isOfHead = head !== undefined && !isNewer(answer.items, head);
      return { isConsistent: isConsistent && isOfHead, answer };
    });
    return parsePage(collection, page);
  }

  /**
   * A page of a list that a record owns. The list's state is in that record, in the former item, or in a state item.
   */
  async #pageOfOwner<O extends Collection, C extends Collection>(
    owner: RecordRef<O>,
    collection: C,
    list: List,
    query: PageQuery,
    { name, isReferenced = false }: { name?: string | undefined; isReferenced?: boolean } = {},
  ): Promise<OwnedPage<O, C>> {
    const inOwner = stateName({ collection: collection.name, index: list.index, name });
    const { owner: record, ...page } = await this.#untilConsistentPage(query, async (isRetry) => {
      let record: RecordOf<O> | undefined;
      const readState = async () => {
        const key = this.keyOf(owner);
        const [seen, own] = await Promise.all([
          this.table.get(key),
          list.hasManyNames ? this.#ownState(list) : undefined,
        ]);
        const item = seen ?? (isReferenced ? await this.settledItem(key) : undefined);
        record = item && parseRecord(owner.collection, item);
        if (own) return own;
        if (!item && collection.name === events.name) return undefined;
        const ownerOrFormer = item ?? (await this.#formerOf(owner));
        return parseState(ownerOrFormer && v.parse(OwnerItem, ownerOrFormer).lists[inOwner]);
      };
      const { isConsistent, ...answer } = await readPage(this.table, list, query, readState, isRetry);
      return { isConsistent, answer: { ...answer, owner: record } };
    });
    return { ...parsePage(collection, page), owner: record };
  }

  /**
   * Reads until the page is consistent. An inconsistent page may show records that no longer exist, even of an erased
   * person, because an index is behind. So serializable reads check the last page, and these records are left out. The
   * last page may also lack records. So a walk never gets it, and a walk from this page reads the page again.
   */
  #untilConsistentPage<P extends Omit<PageAttempt, 'isConsistent'>>(
    { after, order }: PageQuery,
    read: (isRetry: boolean) => Promise<Try<P>>,
  ): Promise<P> {
    return this.#untilConsistent(read, async (page) => {
      if (after !== undefined || order !== undefined) throw unavailable();
      const nameIn = (item: Item) => nameOfKey(keyOfItem(item));
      const stored = await this.table.settledMany(page.items.map(keyOfItem));
      const names = new Set(stored.map(nameIn));
      const items = page.items.filter((item) => names.has(nameIn(item)));
      return { ...page, items, nextAfter: page.ownCursor() };
    });
  }

  /**
   * Reads until the answer is consistent. After `maxTries` tries, or without time left, returns `last` of the last
   * answer.
   */
  async #untilConsistent<T>(
    read: (isRetry: boolean) => Promise<Try<T>>,
    last: (answer: T) => T | Promise<T> = (answer) => answer,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { isConsistent, answer } = await read(tries > 1);
      const pause = waitAfter(retryWaits.inconsistentRead, tries, this.system);
      const isOver = this.system.now() + pause >= this.principal.deadline;
      if (isConsistent) return answer;
      if (tries === maxTries || isOver) {
        if (this.table.isSerializable) throw unavailable();
        return last(answer);
      }
      await this.system.sleep(pause);
    }
  }
}

/**
 * The first number from 1 to `last` with a true answer, or `last + 1`. All later numbers have a true answer, too. Asks
 * about three numbers at a time.
 */
async function firstNumber(last: number, isTrue: (number: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [1, last + 1];
  while (low < high) {
    const span = high - low;
    const asked = [...new Set([1, 2, 3].map((part) => low + Math.floor((span * part) / 4)))];
    const answers = await Promise.all(asked.map(isTrue));
    const at = answers.indexOf(true);
    if (at === -1) low = (asked.at(-1) ?? low) + 1;
    else {
      high = asked[at] ?? high;
      if (at > 0) low = (asked[at - 1] ?? low) + 1;
    }
  }
  return low;
}

/** Maximum number of records of each collection that a prepared text uses. */
const maxPrepared = 400;

const PreparedItem = v.object({ madeFrom: v.string(), text: v.string() });

/** Returns the records of one of the prepared text's collections, by number ascending. */
export type ConfigurationReader = <C extends Collection>(collection: C) => RecordOf<C>[];

/** The ledger's attributes of a record that owns lists, or of its former item. */
const OwnerItem = v.object({ lists: v.optional(ListStates, {}) });
const StateItem = v.object({ state: v.pipe(v.string(), v.regex(statePattern)) });

/** Statements of an event about its write. A malformed statement counts as empty; `organization verify` reports it. */
const OfWrite = v.object({ touched: v.optional(v.string(), ''), shown: v.optional(v.string(), '') });

function toStoredEvent(item: Item): StoredEvent {
  const { touched, shown } = v.parse(OfWrite, item);
  const changed = [touched, shown].flatMap((names) => parseTouchedRecords(names) ?? []);
  return { event: parseRecord(events, item), write: revisionOf(item), changed };
}

const parsePage = <C extends Collection>(
  collection: C,
  { items, totalCount, offset, nextAfter }: Page<Item>,
): Page<RecordOf<C>> => ({
  items: items.map((item) => parseRecord(collection, item)),
  totalCount,
  offset,
  nextAfter,
});

/** True if one of the records is newer than this head. */
const isNewer = (items: readonly Item[], { version }: Head) =>
  items.some((item) => revisionOf(item) > version);
