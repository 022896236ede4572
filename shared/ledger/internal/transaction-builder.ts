import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import { UnitOfWork, maxOperations, type WriteDependencies } from './unit-of-work.ts';
import { events, type RecordRef } from './collection.ts';
import { headDoesNotExist, headVersionUnchanged } from './conditions.ts';
import { withRevision, type Head } from './head.ts';
import { headKey, nameOfKey } from './keys.ts';
import { MemberMoves } from './member-moves.ts';
import { recordOperation, type RecordChange } from './record-change.ts';
import type { TransactOperation, WriteOperation } from './table-client.ts';
import { touchedRecordsOf } from './touched-records.ts';

/**
 * Builds the transaction of a unit of work. The transaction checks everything that the write relies on: the
 * head's version, the revision of each record that is replaced or removed, that a new record is new, and that
 * each unique value is free or held as it was read.
 */
export class TransactionBuilder extends UnitOfWork {
  readonly #moves: MemberMoves;
  readonly #storedItems = new Map<string, Item>();

  constructor(
    tableName: string,
    caller: Caller,
    from: { head: Head; now: string; dependencies: WriteDependencies },
  ) {
    super(tableName, caller, from);
    const { records, lists, owners } = this;
    const isInHead = (name: string) => name in this.head.lists;
    this.#moves = new MemberMoves(caller.organization, { records, lists, owners, isInHead });
  }

  /** Adds a record that was read to change it; `item` is undefined if there is none. */
  addRead(ref: RecordRef, item: Item | undefined, options?: { mayStayUnchanged?: boolean }): void {
    this.records.addRead(ref, item, options);
  }

  /** The head that the transaction stores. Complete once `operations` was called. */
  get storedHead(): Head {
    return this.head;
  }

  /** The records' items that the transaction stores, by `nameOfKey`. Complete once `operations` was called. */
  get storedItems(): ReadonlyMap<string, Item> {
    return this.#storedItems;
  }

  /** True if there is nothing to store. */
  get isEmpty(): boolean {
    return (
      this.head === this.headAsRead &&
      this.records.changed.length === 0 &&
      this.grants.isEmpty &&
      this.numbers.isEmpty
    );
  }

  /**
   * The partitions of changed lists whose state is an item. Call `addListState` for each before `operations`.
   */
  get listsToRead(): string[] {
    return this.#moves.listsToRead;
  }

  /** Adds the state item of a list; `item` is undefined if there is none. */
  addListState(partition: string, item: Item | undefined): void {
    this.lists.addRead(partition, item);
  }

  /**
   * The operations of the transaction, the head first. Add nothing after this call.
   * @throws Error if the write has no event, too many operations, or a record that was read to change and is
   * unchanged
   */
  operations(withQueueEstimate: (head: Head) => Head = (head) => head): WriteOperation[] {
    if (this.head.version === this.headAsRead.version) throw new Error('A write without an event');
    this.#moves.carryOut();
    this.head = withQueueEstimate(this.head);
    if (this.newHashKey !== undefined) this.head = { ...this.head, hashKey: this.newHashKey };
    this.records.checkChanged();
    const { organization } = this.caller;
    const { version: revision } = this.head;
    const { changed } = this.records;
    this.#addTouched(changed);
    const records = changed.map((change) => {
      const item = recordOperation(change, { tableName: this.tableName, organization, revision });
      if (item.Put?.Item) this.#storedItems.set(nameOfKey(change.key), item.Put.Item);
      return item;
    });
    for (const { collection, after } of changed) {
      if (!collection.hasHotRecord) continue;
      this.head = withRevision(this.head, collection.name, after === 'removed' ? undefined : revision);
    }
    // Former items come before the lists: they decide which lists end.
    const former = this.owners.operations(this.lists, { tableName: this.tableName, revision });
    const operations = [
      ...toOperations([this.#advanceHead(), ...records, ...this.grants.operations()]),
      ...this.uniques.operations(),
      ...this.numbers.operations(),
      ...this.dayCounts.operations(),
      ...toOperations([...former, ...this.lists.operations()]),
    ];
    if (operations.length > maxOperations) throw new Error(`A write of more than ${maxOperations} items`);
    return [...operations, ...toOperations(this.lists.deletionsOfEnded(maxOperations - operations.length))];
  }

  #advanceHead(): TransactOperation {
    const { version } = this.headAsRead;
    return {
      Put: {
        TableName: this.tableName,
        Item: { ...this.head, ...headKey(this.caller.organization) },
        ...(version === 0 ? headDoesNotExist : headVersionUnchanged(version)),
      },
    };
  }

  /** Adds the attribute `touched` to the last event. */
  #addTouched(changed: readonly RecordChange[]): void {
    const last = changed.findLast(({ collection }) => collection === events);
    const touched = touchedRecordsOf(changed.filter(({ collection }) => collection !== events));
    if (last) last.kept = { ...last.kept, touched };
  }
}

const toOperations = (operations: readonly TransactOperation[]): WriteOperation[] =>
  operations.map((operation) => ({ operation }));
