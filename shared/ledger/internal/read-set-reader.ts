import type { System } from '../../core/system.ts';
import { Backoff, lateRecordWaits } from '../../core/waits.ts';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import type { RecordRef } from './collection.ts';
import { parseHead, stateIn, type Head } from './head.ts';
import { formerKey, headKey, nameOfKey, recordKey, stateKey, type Key } from './keys.ts';
import type { TransactionBuilder } from './transaction-builder.ts';
import { keysToCheck, refsToChange, type ReadItems, type ReadSet, type RefToChange } from './read-set.ts';
import { revisionOf } from './stored-record.ts';
import type { TableClient } from './table-client.ts';

/** A head, and items of records that are known to be as of that version. */
export interface CachedState {
  head: Head;
  items: ReadonlyMap<string, Item>;
}

/** Head and items that a writer has read before it knows whether it may try. */
export interface PartialRead {
  head: Head;
  /** Undefined if not read yet, since the writer is not next in the queue. */
  changes: ReadItems['changes'] | undefined;
  /**
   * Undefined if not read yet: the writer is not next in the queue, or a transaction held one of the items.
   */
  checks: ReadItems['checks'] | undefined;
}

/** DynamoDB's limit on one serializable read. */
const maxKeys = 100;

/** Reads the head and the read set of one write. */
export class ReadSetReader {
  readonly wanted: readonly RefToChange[];
  readonly #checked: readonly Key[];
  readonly #table: TableClient;
  readonly #system: System;
  readonly #caller: Caller;

  constructor(
    { table, system, caller }: { table: TableClient; system: System; caller: Caller },
    reading: ReadSet,
  ) {
    this.#table = table;
    this.#system = system;
    this.#caller = caller;
    this.wanted = refsToChange(reading);
    this.#checked = [...keysToCheck(caller.organization, reading).values()];
  }

  /**
   * Reads everything that `known` does not have, at once. One serializable read has the head and the records
   * to check. If a transaction holds one of them, they are read later, when the writer is next in the queue.
   */
  async first(known: CachedState | undefined): Promise<PartialRead> {
    const keys = this.#checked;
    if (keys.length === 0) {
      const [head, changes] = await Promise.all([known?.head ?? this.#head(), this.#changes(known)]);
      return { head, changes, checks: new Map() };
    }
    const atHead = known === undefined ? [headKey(this.#caller.organization)] : [];
    const [snapshot, changes] = await Promise.all([
      this.#table.snapshot([...atHead, ...keys]),
      this.#changes(known),
    ]);
    const head = known?.head ?? (snapshot === undefined ? await this.#head() : parseHead(snapshot[0]));
    return { head, changes, checks: snapshot && byName(keys, snapshot.slice(atHead.length)) };
  }

  /**
   * Reads the head again, unless it is known. With `withChanges`, reads the records to change too, at once.
   */
  async again(known: Head | undefined, { withChanges }: { withChanges: boolean }): Promise<PartialRead> {
    const [head, changes] = await Promise.all([
      known ?? this.#head(),
      withChanges ? this.#changes(undefined) : undefined,
    ]);
    return { head, changes, checks: undefined };
  }

  /** Completes a partial read, once the writer is next in the queue. */
  async complete({ head, ...seen }: PartialRead): Promise<ReadItems> {
    const keys = this.#checked;
    const [checks, changes] = await Promise.all([
      seen.checks ?? (keys.length === 0 ? new Map<string, Item>() : this.snapshot(keys)),
      seen.changes ?? this.#changes(undefined),
    ]);
    return {
      checks,
      changes: await Promise.all(this.wanted.map((one, at) => this.#upToDate(one, changes[at], head))),
    };
  }

  /** Reads the item of a record while a write is built. */
  async item(ref: RecordRef, head: Head): Promise<Item | undefined> {
    return this.#upToDate({ ref, mayBeAbsent: true }, await this.#table.get(this.#keyOf(ref)), head);
  }

  /**
   * Reads the former item of a record. If a plain read finds none, a serializable read makes sure: the
   * transaction that removes the record may be under way.
   */
  async former({ collection, number }: RecordRef): Promise<Item | undefined> {
    const key = formerKey(this.#caller.organization, collection.name, number);
    return (await this.#table.get(key)) ?? (await this.snapshot([key])).get(nameOfKey(key));
  }

  /** Reads the state items of the lists that a write changes. The transaction checks them. */
  async lists(write: TransactionBuilder): Promise<void> {
    const read = async (partition: string) => {
      write.addListState(partition, await this.#table.get(stateKey(partition)));
    };
    await Promise.all(write.listsToRead.map(read));
  }

  #changes(known: CachedState | undefined): Promise<ReadItems['changes']> {
    return Promise.all(
      this.wanted.map(async ({ ref }) => {
        const key = this.#keyOf(ref);
        return known?.items.get(nameOfKey(key)) ?? (await this.#table.get(key));
      }),
    );
  }

  async #head(): Promise<Head> {
    return parseHead(await this.#table.get(headKey(this.#caller.organization)));
  }

  /**
   * Items by `nameOfKey`, any number: one serializable read for each hundred, retried while transactions hold
   * them. Each item is at least as new as the head.
   */
  async snapshot(keys: readonly Key[]): Promise<ReadItems['checks']> {
    const each = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()];
    const parts = Array.from({ length: Math.ceil(each.length / maxKeys) }, (_, at) =>
      this.#snapshotOf(each.slice(at * maxKeys, (at + 1) * maxKeys)),
    );
    return new Map((await Promise.all(parts)).flatMap((part) => [...part]));
  }

  async #snapshotOf(keys: readonly Key[]): Promise<ReadItems['checks']> {
    const backoff = new Backoff(this.#system, this.#caller.deadline);
    for (;;) {
      const items = await this.#table.snapshot([...keys]);
      if (items) return byName(keys, items);
      await backoff.wait(undefined);
    }
  }

  /**
   * The item of a record that a plain read found. Reads it again while the head has a newer revision of the
   * record: a transaction on the older item would be refused.
   */
  async #upToDate(
    wanted: Pick<RefToChange, 'ref' | 'mayBeAbsent'>,
    item: Item | undefined,
    head: Head,
  ): Promise<Item | undefined> {
    const newest = head.revisions?.[wanted.ref.collection.name] ?? 0;
    let found = item;
    for (const pause of lateRecordWaits) {
      if ((found ? revisionOf(found) : 0) >= newest) break;
      if (pause > 0) await this.#system.sleep(pause);
      found = await this.#table.get(this.#keyOf(wanted.ref));
    }
    return this.#orLate(wanted, found, head);
  }

  /**
   * The item of a record that a plain read found. If it found none although the head counts the record, a
   * serializable read decides: the record was deleted, or the transaction that adds it is under way.
   */
  async #orLate(
    { ref, mayBeAbsent }: Pick<RefToChange, 'ref' | 'mayBeAbsent'>,
    item: Item | undefined,
    head: Head,
  ): Promise<Item | undefined> {
    const isCounted = ref.number <= stateIn(head, ref.collection.name).last;
    if (item || !mayBeAbsent || !isCounted) return item;
    const key = this.#keyOf(ref);
    return (await this.snapshot([key])).get(nameOfKey(key));
  }

  #keyOf({ collection, number }: RecordRef): Key {
    return recordKey(this.#caller.organization, collection.name, number);
  }
}

/** The items that exist, by `nameOfKey`. */
const byName = (keys: readonly Key[], items: readonly (Item | undefined)[]): Map<string, Item> =>
  new Map(
    keys.flatMap((key, at) => {
      const item = items[at];
      return item ? [[nameOfKey(key), item] as const] : [];
    }),
  );
