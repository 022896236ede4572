import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import { UnitOfWork, maxSteps, type WriteDependencies } from './unit-of-work.ts';
import { events, type RecordRef } from './collection.ts';
import { withRevision, type Head } from './head.ts';
import { headKey, nameOfKey } from './keys.ts';
import { MemberMoves } from './member-moves.ts';
import { recordStep, type RecordChange } from './record-change.ts';
import type { TransactItem } from './table-client.ts';
import { touchedRecordsOf } from './touched-records.ts';
import type { Step } from './unique-values.ts';

/**
 * Collects a write and turns it into a transaction, which checks everything the write relies on: the head's
 * version, the revision of each replaced or removed record, that a new record is new, and that a unique value
 * is free or held as read. Each condition is on an item that is written anyway, so it costs nothing.
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

  /** Notes a record that was read to change it; undefined if it does not exist. */
  addRead(ref: RecordRef, item: Item | undefined, options?: { mayStayUnchanged?: boolean }): void {
    this.records.addRead(ref, item, options);
  }

  /** The head that it stores; there once `steps` was called. */
  get storedHead(): Head {
    return this.head;
  }

  /** The items of the records that it stores, by the names of their keys; there once `steps` was called. */
  get storedItems(): ReadonlyMap<string, Item> {
    return this.#storedItems;
  }

  /** Whether nothing was changed, so that there is nothing to store. */
  get isEmpty(): boolean {
    const isAlone = this.grants.isEmpty && this.numbers.isEmpty;
    return this.head === this.seen && this.records.changed.length === 0 && isAlone;
  }

  /**
   * The partitions of changed lists whose state is an item: `addListState` must be called for each before
   * `steps`.
   */
  get listsToRead(): string[] {
    return this.#moves.listsToRead;
  }

  /** Notes the state item of a list; undefined if there is none. */
  addListState(partition: string, item: Item | undefined): void {
    this.lists.addRead(partition, item);
  }

  /**
   * The operations of the transaction, the head first. Add nothing after this call.
   * @throws Error if the write has no event, too many operations, or a record that was read to change and is
   * not changed
   */
  steps(withQueueEstimate: (head: Head) => Head = (head) => head): Step[] {
    if (this.head.version === this.seen.version) throw new Error('A write without an event');
    this.#moves.carryOut();
    this.head = withQueueEstimate(this.head);
    if (this.newHashKey !== undefined) this.head = { ...this.head, hashKey: this.newHashKey };
    this.records.checkChanged();
    const { organization } = this.caller;
    const { version: revision } = this.head;
    const { changed } = this.records;
    this.#noteTouched(changed);
    const records = changed.map((change) => {
      const operation = recordStep(change, { tableName: this.tableName, organization, revision });
      if (operation.Put?.Item) this.#storedItems.set(nameOfKey(change.key), operation.Put.Item);
      return operation;
    });
    for (const { collection, after } of changed) {
      if (!collection.hasHotRecord) continue;
      this.head = withRevision(this.head, collection.name, after === 'removed' ? undefined : revision);
    }
    const operations = [this.#advanceHead(), ...records, ...this.grants.steps()];
    // What is left of owners first: it tells which lists end.
    const former = this.owners.steps(this.lists, { tableName: this.tableName, revision });
    const lists = [...former, ...this.lists.steps()];
    const steps = [
      ...operations.map((operation) => ({ operation })),
      ...this.uniques.steps(),
      ...this.numbers.steps(),
      ...this.dayCounts.steps(),
      ...lists.map((operation) => ({ operation })),
    ];
    if (steps.length > maxSteps) throw new Error(`A write of more than ${maxSteps} items`);
    const forgetting = this.lists.forgetting(maxSteps - steps.length);
    return [...steps, ...forgetting.map((operation) => ({ operation }))];
  }

  #advanceHead(): TransactItem {
    return {
      Put: {
        TableName: this.tableName,
        Item: { ...this.head, ...headKey(this.caller.organization) },
        // The refusal then contains the winner's head, which saves reading it.
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...(this.seen.version === 0
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'version = :seen',
              ExpressionAttributeValues: { ':seen': this.seen.version },
            }),
      },
    };
  }

  /** Notes on the last event what the write touches. */
  #noteTouched(changed: readonly RecordChange[]): void {
    const last = changed.findLast(({ collection }) => collection === events);
    const touched = touchedRecordsOf(changed.filter(({ collection }) => collection !== events));
    if (last) last.kept = { ...last.kept, touched };
  }
}
