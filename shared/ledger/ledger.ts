import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { Failure, notFound, unknownOutcome } from '../endpoints/errors.ts';
import type { PageQuery } from '../endpoints/pagination.ts';
import { toItem, type Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import type { Collection, Place, RecordOf } from './collection.ts';
import { filteredList, numberingOf, parseHead, unfoundedHead, type Head } from './head.ts';
import type { Heads } from './heads.ts';
import { numberOf } from './ids.ts';
import { deletedKey, headKey, recordKey, viewKey } from './keys.ts';
import { bucketAtRank, liveCount, numberInBucket, type Numbering } from './numbering.ts';
import type { Outside } from './outside.ts';
import { Backoff, cancellationReasons, conditionFailed, fateOf, transactionConflict } from './retry.ts';
import type { Table } from './table.ts';
import { Turn } from './turn.ts';
import { partsOf, Write, type View } from './write.ts';

export interface Page<R> {
  items: R[];
  totalCount: number;
}

type Places = Record<string, Place>;
/** The records at some places; undefined where there is none. */
type RecordsAt<P extends Places> = {
  [Name in keyof P]: RecordOf<NonNullable<P[Name]>['collection']> | undefined;
};

/** How often a view that is behind its count is read: the waits between add up to 0.3 s at most. */
const viewTries = 6;

/** The organization code that `found` was given belongs to another organization already. */
export class CodeTaken extends Error {}

/**
 * One organization's ledger, as one caller may use it. Every write is one transaction that advances the
 * organization's head, so writes of one organization happen one after the other and never in part.
 *
 * Every method throws a Failure `unavailable` when DynamoDB cannot carry it out before the caller's deadline.
 */
export class Ledger {
  readonly #table: Table;
  readonly #heads: Heads;
  readonly #outside: Outside;
  readonly #caller: Caller;

  constructor(table: Table, heads: Heads, outside: Outside, caller: Caller) {
    this.#table = table;
    this.#heads = heads;
    this.#outside = outside;
    this.#caller = caller;
  }

  /** Where the record with this public id is. @throws Failure `notFound` when no record here can have that id. */
  place<C extends Collection>(collection: C, id: string | number): Place<C> {
    const place = this.find(collection, id);
    if (place === undefined) throw notFound(collection.label);
    return place;
  }

  /** Where the record with this public id is, or undefined when no record here can have that id. */
  find<C extends Collection>(collection: C, id: string | number): Place<C> | undefined {
    const { prefix } = collection;
    const number =
      prefix === undefined ? integerId(String(id)) : numberOf(prefix, this.#caller.organization, String(id));
    return number === undefined ? undefined : { collection, number };
  }

  /** Whether there is time to begin something more, and keep this much of it, in milliseconds. */
  hasTime(reserve = 0): boolean {
    return this.#outside.now() + reserve < this.#caller.deadline;
  }

  /** One record as it is now. One round trip. @throws Failure `notFound` */
  async get<C extends Collection>(place: Place<C>): Promise<RecordOf<C>> {
    const record = await this.look(place);
    if (record === undefined) throw notFound(place.collection.label);
    return record;
  }

  /** One record as it is now, or undefined where there is none. One round trip. */
  async look<C extends Collection>(place: Place<C>): Promise<RecordOf<C> | undefined> {
    const item = await this.#table.get(this.#keyOf(place));
    return item && v.parse(place.collection.schema, item);
  }

  /** The records, of at most 100, that are there, by their numbers. One round trip. */
  async getMany<C extends Collection>(
    collection: C,
    numbers: readonly number[],
  ): Promise<Map<number, RecordOf<C>>> {
    const keys = [...new Set(numbers)].map((number) => this.#keyOf({ collection, number }));
    const items = keys.length === 0 ? [] : await this.#table.getMany(keys);
    return new Map(
      items.map((item) => [v.parse(SortKey, item).sk, v.parse(collection.schema, item)] as const),
    );
  }

  /** Every record of a small collection, by number ascending: one that the domain keeps small. One query. */
  async all<C extends Collection>(collection: C): Promise<RecordOf<C>[]> {
    const { pk } = this.#keyOf({ collection, number: 1 });
    const items = await this.#table.partition(pk);
    return items.map((item) => v.parse(collection.schema, item));
  }

  /**
   * A page of a collection, newest first. Reads the head, then the page's records and no others; deep in a list with
   * deleted records also one bucket of their numbers.
   */
  async page<C extends Collection>(collection: C, query: PageQuery): Promise<Page<RecordOf<C>>> {
    const head = parseHead(await this.#table.get(headKey(this.#caller.organization)));
    const numbering = numberingOf(head, collection.name);
    const totalCount = liveCount(numbering);
    const first = await this.#numberAtRank(collection, numbering, (query.page - 1) * query.limit);
    if (first === undefined) return { items: [], totalCount };
    const { pk, sk } = this.#keyOf({ collection, number: first });
    const items = await this.#table.newestFirst(
      { pkName: 'pk', pk, skName: 'sk' },
      { from: sk },
      query.limit,
    );
    return { items: items.map((item) => v.parse(collection.schema, item)), totalCount };
  }

  /** A page of a view of the whole organization, newest first. Reads the head, then the page. */
  async filtered<C extends Collection>(
    collection: C,
    view: View & { filter: string },
    query: PageQuery,
  ): Promise<Page<RecordOf<C>>> {
    const head = parseHead(await this.#table.get(headKey(this.#caller.organization)));
    const totalCount = liveCount(numberingOf(head, filteredList(collection, view.filter)));
    return this.view(collection, { ...view, totalCount }, query);
  }

  /**
   * The newest records of a view, and its count: the rank of the newest, since no record leaves a view. For a view whose
   * count is nowhere else, or is read at the same time. An index trails the table by moments, and so may both; so
   * where one is missing among those that are there, they are read again as a page is.
   */
  async newest<C extends Collection>(collection: C, view: View, limit: number): Promise<Page<RecordOf<C>>> {
    const partition = this.#partitionOf(collection, view);
    const items = await this.#table.newestFirst(partition, { from: Number.MAX_SAFE_INTEGER }, limit);
    const ranks = items.map((item) => v.parse(v.number(), item[partition.skName]));
    const totalCount = ranks[0] ?? 0;
    const isWhole =
      ranks.length === Math.min(limit, totalCount) && ranks.every((rank, at) => rank === totalCount - at);
    return isWhole
      ? { items: items.map((item) => v.parse(collection.schema, item)), totalCount }
      : this.view(collection, { ...view, totalCount }, { page: 1, limit });
  }

  /**
   * A page of a view, newest first, given its count. One query. An index trails the table by moments: a page that is
   * short of the count is read again, a few times.
   */
  async view<C extends Collection>(
    collection: C,
    { totalCount, ...view }: View & { totalCount: number },
    { page, limit }: PageQuery,
  ): Promise<Page<RecordOf<C>>> {
    const from = totalCount - (page - 1) * limit;
    if (from < 1) return { items: [], totalCount };
    const to = Math.max(1, from - limit + 1);
    const partition = this.#partitionOf(collection, view);
    const backoff = new Backoff(this.#outside, this.#caller.deadline);
    for (let tries = 1; ; tries++) {
      const items = await this.#table.newestFirst(partition, { from, to }, limit);
      if (items.length === from - to + 1 || tries === viewTries) {
        return { items: items.map((item) => v.parse(collection.schema, item)), totalCount };
      }
      await backoff.wait(undefined);
    }
  }

  /**
   * Changes the organization. `build` gets the records at the places it names, as they are now, and collects the
   * change; what it returns is returned once the change is stored, or at once where it changes nothing. It runs again,
   * on newer records, whenever another writer was faster, so it must have no effect of its own.
   *
   * @throws Failure `conflict` when a claimed value is taken; Failure `unavailable` when the deadline came first, with
   * nothing written; Failure `internal` when it came before a reply; whatever `build` throws, with nothing written.
   */
  async write<P extends Places, T>(
    reading: P,
    build: (write: Write, records: RecordsAt<P>) => T | Promise<T>,
  ): Promise<T> {
    const backoff = new Backoff(this.#outside, this.#caller.deadline);
    const turn = new Turn(this.#outside, this.#caller.deadline);
    for (;;) {
      const { write, result } = await this.#prepare(reading, build, turn);
      if (write.isEmpty) return result;
      const lost = await this.#store(write, backoff);
      const { organization } = this.#caller;
      if (lost === undefined) {
        // Where writers wait, others have moved the head on by the next write; and whoever still had the newest would
        // be first again each time.
        if (turn.hasLost || write.head.queue !== undefined) this.#heads.forget(organization);
        else this.#heads.remember(organization, write.head);
        return result;
      }
      if (lost === 'collided') {
        turn.collide();
        this.#heads.forget(organization);
        continue;
      }
      const when = await turn.lose(lost.winner, lost.milliseconds);
      if (when === 'at once') this.#heads.remember(organization, lost.winner);
      else this.#heads.forget(organization);
    }
  }

  /** Founds the organization: its first write. @throws CodeTaken when its code is another organization's. */
  async found<T>(country: string, build: (write: Write) => T): Promise<T> {
    const write = this.#newWrite(unfoundedHead(country));
    const result = build(write);
    const backoff = new Backoff(this.#outside, this.#caller.deadline);
    const lost = await this.#store(write, backoff);
    // A collision is with whoever founds an organization of this same code.
    if (lost) throw new CodeTaken(`Organization code ${this.#caller.organization} is taken`);
    this.#heads.remember(this.#caller.organization, write.head);
    return result;
  }

  /**
   * Builds a write on a head and on records that are no older: then the head's condition in the transaction vouches
   * for the records too. With a remembered head, whatever is read now will do; otherwise all is read as of one moment.
   * Where others write at the same time that would be refused, as a conflict with their transactions on the head: then
   * the head is read first, and the records after it.
   */
  async #prepare<P extends Places, T>(
    reading: P,
    build: (write: Write, records: RecordsAt<P>) => T | Promise<T>,
    turn: Turn,
  ): Promise<{ write: Write; result: T }> {
    const places = Object.values(reading);
    const keys = places.map((place) => this.#keyOf(place));
    const buildOn = async (head: Head, items: readonly (Item | undefined)[]) => {
      const write = this.#newWrite(turn.passOn(head));
      for (const [at, item] of items.entries()) {
        const place = places[at];
        if (place && item) write.hasRead(place, item);
      }
      return { write, result: await build(write, recordsAt(reading, items)) };
    };
    const readAll = () => Promise.all(keys.map((key) => this.#table.get(key)));
    const remembered = this.#heads.recall(this.#caller.organization);
    if (remembered !== undefined) {
      try {
        return await buildOn(remembered, await readAll());
      } catch (error) {
        // What was remembered may be why, and no transaction will tell: see again on what is there now.
        if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
      }
    }
    const atHead = headKey(this.#caller.organization);
    if (turn.hasLost || keys.length === 0) {
      const head = parseHead(await this.#table.get(atHead));
      return buildOn(head, await readAll());
    }
    const [head, ...items] = await this.#table.snapshot([atHead, ...keys]);
    return buildOn(parseHead(head), items);
  }

  #newWrite(head: Head): Write {
    return new Write(this.#table.name, this.#caller, head, new Date(this.#outside.now()).toISOString());
  }

  #keyOf({ collection, number }: Place) {
    return recordKey(this.#caller.organization, collection.name, number);
  }

  #partitionOf(collection: Collection, { index, ...view }: View) {
    const pk = viewKey(this.#caller.organization, partsOf(collection, view));
    return { index, pkName: index, pk, skName: `${index}Rank` };
  }

  async #numberAtRank(
    collection: Collection,
    numbering: Numbering,
    rank: number,
  ): Promise<number | undefined> {
    // The newest page starts below the last number, whatever was deleted: the query passes over holes for nothing.
    if (rank === 0) return liveCount(numbering) === 0 ? undefined : numbering.last;
    const place = bucketAtRank(numbering, rank);
    if (place === undefined) return undefined;
    const hasHoles = (numbering.deleted[place.bucket] ?? 0) > 0;
    const item = hasHoles
      ? await this.#table.get(deletedKey(this.#caller.organization, collection.name, place.bucket))
      : undefined;
    return numberInBucket(numbering, place, item ? v.parse(DeletedOffsets, item).offsets : new Set());
  }

  /**
   * Stores the write, or tells that another writer was faster: with which head, and how long the try took. Or that
   * another transaction had the head at the same time, after a wait in which that will have been stored.
   */
  async #store(
    write: Write,
    backoff: Backoff,
  ): Promise<{ winner: Head; milliseconds: number } | 'collided' | undefined> {
    const steps = write.steps();
    const operations = steps.map(({ operation }) => operation);
    // With one token for all tries, a transaction whose reply was lost is not carried out a second time.
    const token = randomUUID();
    let mayBeStored = false;
    for (;;) {
      const began = this.#outside.now();
      try {
        await this.#table.transact(operations, token);
        return undefined;
      } catch (error) {
        const reasons = cancellationReasons(error);
        if (reasons[0]?.Code === conditionFailed) {
          const { Item: item } = reasons[0];
          return {
            winner: parseHead(item && toItem(item)),
            milliseconds: this.#outside.now() - began,
          };
        }
        for (const [at, { Code, Item: item }] of reasons.entries()) {
          const refusal = Code === conditionFailed && steps[at]?.refusal?.(item && toItem(item)['id']);
          if (refusal) throw refusal;
        }
        const fate = fateOf(error);
        if (fate === 'fatal') throw mayBeStored ? unknownOutcome(error) : error;
        // Once a reply was lost, a refusal of a later try says nothing of the earlier one.
        mayBeStored ||= fate === 'unknown';
        await backoff.wait(error, { mayBeStored });
        if (reasons[0]?.Code === transactionConflict && !mayBeStored) return 'collided';
      }
    }
  }
}

/** A record's number, from its sort key. */
const SortKey = v.object({ sk: v.pipe(v.string(), v.transform(Number)) });
const DeletedOffsets = v.object({ offsets: v.set(v.number()) });

function recordsAt<P extends Places>(reading: P, items: readonly (Item | undefined)[]): RecordsAt<P>;
function recordsAt(reading: Places, items: readonly (Item | undefined)[]): Record<string, unknown> {
  const parsed = Object.entries(reading).map(([name, { collection }], at): [string, unknown] => {
    const item = items[at];
    return [name, item && v.parse(collection.schema, item)];
  });
  return Object.fromEntries(parsed);
}

/** The number that is a record's id, or undefined for what cannot be one. */
function integerId(id: string): number | undefined {
  return /^[1-9]\d{0,11}$/.test(id) ? Number(id) : undefined;
}
