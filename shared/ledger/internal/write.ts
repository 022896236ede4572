import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import { events, type Collection, type LedgerEvent, type RecordRef, type RecordOf } from './collection.ts';
import type { Grant } from './grant.ts';
import { filteredList, numberingOf, withNumbering, type Head } from './head.ts';
import { recordId } from '../../core/ids.ts';
import { deletedKey, grantKey, headKey, recordKey, viewKey, type Key, type ViewIndex } from './keys.ts';
import { liveCount, positionOf, withDeleted, withNext } from './numbering.ts';
import { revisionOf } from './stored-record.ts';
import type { TransactItem } from './table-client.ts';
import {
  claimedIn,
  heldValues,
  nextValues,
  UniqueChanges,
  type HeldValue,
  type Step,
} from './unique-values.ts';

/**
 * A filtered list: the records of a collection that belong to the record `owner`, or to the organization where there is
 * none, and have the value `filter`, where there is one. A record that is in a view stays in it.
 */
export interface View {
  index: ViewIndex;
  owner?: RecordRef;
  filter?: string;
}

/** Where a record stands in a view: it is its `rank`th, from 1. */
export interface InView extends View {
  rank: number;
}

/** What there is to tell of a change of a record. */
interface Change extends Pick<LedgerEvent, 'event' | 'data'> {
  id: string | number;
}

/** One record in a write. */
interface RecordChange {
  key: Key;
  /** The record as the write found it; none where it adds it. */
  before?: { revision: number; item: Item };
  /** What no schema knows of it, such as its views: it stays. */
  kept: Item;
  /** The unique values that it holds at this point of the write; not known while nothing is done to it. */
  held?: HeldValue[];
  /** What it becomes; none while nothing is done to it. */
  after?: { record: object } | 'removed';
}

/** DynamoDB's limit on one transaction. */
const maxSteps = 100;

/**
 * One change of an organization in the making. It only collects; the ledger stores it in one transaction together
 * with the head, or not at all. It is built anew, on a newer head, each time another writer was faster.
 *
 * Whatever it relies on, the transaction proves: the head's version, the revision of each record that it replaces or
 * removes, that a new record is new, that a value is free, or with whom it was. Each condition is on an item that is
 * written anyway, so it costs nothing.
 */
export class Write {
  /** The moment of the change, in the API's format. */
  readonly now: string;
  readonly #tableName: string;
  readonly #caller: Caller;
  readonly #seen: Head;
  #head: Head;
  /** DynamoDB takes one operation per item, so what is done to an item is kept by its key. */
  readonly #records = new Map<string, RecordChange>();
  readonly #uniques: UniqueChanges;
  readonly #holes = new Map<string, { key: Key; offsets: Set<number> }>();
  readonly #grants = new Map<string, TransactItem>();

  constructor(tableName: string, caller: Caller, head: Head, now: string) {
    this.#tableName = tableName;
    this.#uniques = new UniqueChanges(tableName);
    this.#caller = caller;
    this.#seen = head;
    this.#head = head;
    this.now = now;
  }

  /** The organization's country: national phone numbers are read as that country's. */
  get country(): string {
    return this.#head.country;
  }

  /** The head as it will be. */
  get head(): Head {
    return this.#head;
  }

  /** How many live records a collection will have. */
  count(collection: Collection): number {
    return liveCount(numberingOf(this.#head, collection.name));
  }

  /** The number and the id that the next record of a collection will get, for a record that refers to it. */
  next({ name, prefix }: Collection): { number: number; id: string } {
    const number = numberingOf(this.#head, name).last + 1;
    const id = prefix === undefined ? String(number) : recordId(prefix, this.#caller.organization, number);
    return { number, id };
  }

  /** Notes a record that was read: what replaces it keeps its views, and whatever a newer version of the code put there. */
  hasRead({ collection, number }: RecordRef, item: Item): void {
    const key = recordKey(this.#caller.organization, collection.name, number);
    const known = { pk: '', sk: '', revision: 0, claimed: {}, ...collection.schema.entries };
    const kept = Object.fromEntries(Object.entries(item).filter(([name]) => !Object.hasOwn(known, name)));
    this.#records.set(nameOf(key), { key, before: { revision: revisionOf(item), item }, kept });
  }

  /** Takes the next rank in a view of the whole organization; one of a single record is counted in that record. */
  nextRank(collection: Collection, filter: string): number {
    return this.#giveOut(filteredList(collection, filter));
  }

  /**
   * Adds a record under the next number of its collection, and to views, claims its unique values, and tells where it is.
   * If a live record has one of them, the write fails as a conflict that names it.
   * @throws Failure `conflict` when this same write has claimed a value already.
   */
  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
    views: readonly InView[] = [],
  ): { ref: RecordRef<C>; record: RecordOf<C> } {
    const as = this.next(collection);
    this.#giveOut(collection.name);
    const record = build(as);
    const ref = { collection, number: as.number };
    const change = this.#add(ref, record, views);
    this.#moveUniques(collection, change, record);
    return { ref, record };
  }

  /**
   * Stores a record in the place of one that this write has appended or read, so no change gets lost. It stays in the
   * views that it is in; its unique values move with it.
   */
  replace<C extends Collection>({ collection, number }: RecordRef<C>, record: RecordOf<C>): void {
    const change = this.#recordAt({ collection, number });
    this.#moveUniques(collection, change, record);
    change.after = { record };
  }

  /**
   * Stores what a record that this write has read becomes, at this moment where it has an `updatedAt`, and tells so.
   * Where it is what it was, nothing is stored.
   */
  change<C extends Collection>(
    ref: RecordRef<C>,
    { before, after }: { before: RecordOf<C>; after: RecordOf<C> },
    { id, event, data }: Change,
  ): RecordOf<C> {
    if (isDeepStrictEqual(after, before)) return before;
    const stored = { ...after, ...('updatedAt' in after && { updatedAt: this.now }) };
    this.replace(ref, stored);
    this.event({ event, data, referenceId: String(id) });
    return stored;
  }

  /** Deletes a record that this write has read, gives up its values, and notes the hole it leaves among the numbers. */
  remove<C extends Collection>({ collection, number }: RecordRef<C>): void {
    const change = this.#recordAt({ collection, number });
    this.#moveUniques(collection, change, undefined);
    change.after = 'removed';
    const numbering = withDeleted(numberingOf(this.#head, collection.name), number);
    this.#head = withNumbering(this.#head, collection.name, numbering);
    const { bucket, offset } = positionOf(number);
    const key = deletedKey(this.#caller.organization, collection.name, bucket);
    const offsets = this.#holes.get(nameOf(key))?.offsets ?? new Set();
    this.#holes.set(nameOf(key), { key, offsets: offsets.add(offset) });
  }

  /** Tells what happened. Every write has at least one event: the number of the last is the head's version. */
  event(event: Pick<LedgerEvent, 'event' | 'data' | 'referenceId'>, view?: InView): void {
    const id = this.#head.version + 1;
    this.#head = { ...this.#head, version: id };
    const record = { id, ...event, userId: this.#caller.userId, createdAt: this.now };
    this.#add({ collection: events, number: id }, record, view ? [view] : []);
  }

  /** Lets the bearer of the token with this hash, which is new, act in the organization. */
  grant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.#putGrant(tokenHash, grant, { ConditionExpression: 'attribute_not_exists(pk)' });
  }

  /** Lets the bearer of the token with this hash act in another way from now on. */
  regrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    // One that is gone must not come back.
    this.#putGrant(tokenHash, grant, {
      ConditionExpression: 'organization = :organization',
      ExpressionAttributeValues: { ':organization': this.#caller.organization },
    });
  }

  /** Lets the bearer of the token with this hash, which a record of this organization holds, act no more. */
  revoke(tokenHash: string): void {
    const Key = grantKey(tokenHash);
    // Without a condition: that a token ends must not depend on anything.
    this.#grants.set(nameOf(Key), { Delete: { TableName: this.#tableName, Key } });
  }

  /** Whether nothing was changed, so that there is nothing to store. */
  get isEmpty(): boolean {
    return this.#head === this.#seen && this.#changes.length === 0 && this.#grants.size === 0;
  }

  /**
   * The parts of the transaction, the head first; the head goes on as `withQueue` makes it.
   * @throws Error when the change has no event or too many parts, or when a record that was read to change is not changed.
   */
  steps(withQueue: (head: Head) => Head = (head) => head): Step[] {
    if (this.#head.version === this.#seen.version) throw new Error('A write without an event');
    this.#head = withQueue(this.#head);
    const unchanged = [...this.#records.values()].find(({ after }) => after === undefined);
    if (unchanged)
      throw new Error(`A record of ${unchanged.key.pk} was read to change and is not: read it as a check`);
    const steps = [
      { operation: this.#advanceHead() },
      ...this.#changes.map((change) => ({ operation: this.#recordStep(change) })),
      ...[...this.#grants.values()].map((operation) => ({ operation })),
      ...this.#uniques.steps(),
      ...[...this.#holes.values()].map(({ key, offsets }) => ({ operation: this.#noteHoles(key, offsets) })),
    ];
    if (steps.length > maxSteps) throw new Error(`A write of more than ${maxSteps} items`);
    return steps;
  }

  get #changes(): RecordChange[] {
    return [...this.#records.values()].filter(({ after }) => after !== undefined);
  }

  #advanceHead(): TransactItem {
    return {
      Put: {
        TableName: this.#tableName,
        Item: { ...this.#head, ...headKey(this.#caller.organization) },
        // With the refusal comes the winner's head, which need not be read then.
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...(this.#seen.version === 0
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'version = :seen',
              ExpressionAttributeValues: { ':seen': this.#seen.version },
            }),
      },
    };
  }

  #recordStep({ key, before, kept, held = [], after }: RecordChange): TransactItem {
    const TableName = this.#tableName;
    const condition = before
      ? {
          ConditionExpression: 'revision = :revision',
          ExpressionAttributeValues: { ':revision': before.revision },
        }
      : { ConditionExpression: 'attribute_not_exists(pk)' };
    if (after === undefined || after === 'removed') return { Delete: { TableName, Key: key, ...condition } };
    const Item = { ...kept, ...after.record, ...claimedIn(held), revision: this.#head.version, ...key };
    return { Put: { TableName, Item, ...condition } };
  }

  #noteHoles(key: Key, offsets: Set<number>): TransactItem {
    return {
      Update: {
        TableName: this.#tableName,
        Key: key,
        UpdateExpression: 'ADD offsets :offsets',
        ExpressionAttributeValues: { ':offsets': offsets },
      },
    };
  }

  #putGrant(tokenHash: string, grant: Omit<Grant, 'organization'>, condition: object): void {
    const key = grantKey(tokenHash);
    const Item = { ...grant, organization: this.#caller.organization, ...key };
    this.#grants.set(nameOf(key), { Put: { TableName: this.#tableName, Item, ...condition } });
  }

  /** Takes the next number of a collection, or rank of a view. */
  #giveOut(name: string): number {
    const numbering = withNext(numberingOf(this.#head, name));
    this.#head = withNumbering(this.#head, name, numbering);
    return numbering.last;
  }

  /** Stores a new record, and remembers its views in case it is replaced in this same write. */
  #add<C extends Collection>(
    { collection, number }: RecordRef<C>,
    record: RecordOf<C>,
    views: readonly InView[],
  ): RecordChange {
    const { organization } = this.#caller;
    const kept: Item = {};
    for (const { index, rank, ...view } of views) {
      kept[index] = viewKey(organization, partsOf(collection, view));
      kept[`${index}Rank`] = rank;
    }
    const key = recordKey(organization, collection.name, number);
    const change: RecordChange = { key, kept, held: [], after: { record } };
    this.#records.set(nameOf(key), change);
    return change;
  }

  #recordAt({ collection, number }: RecordRef): RecordChange {
    const change = this.#records.get(nameOf(recordKey(this.#caller.organization, collection.name, number)));
    if (change === undefined || change.after === 'removed')
      throw new Error('A write changes a record that it has not read');
    return change;
  }

  /** Moves the unique values of a record to what it becomes; undefined where it is removed. */
  #moveUniques<C extends Collection>(
    collection: C,
    change: RecordChange,
    record: RecordOf<C> | undefined,
  ): void {
    if (!collection.uniques) return;
    const { organization } = this.#caller;
    const item = change.before?.item;
    const had =
      change.held ??
      (item ? heldValues(organization, collection, v.parse(collection.schema, item), item) : []);
    const has = record ? nextValues(organization, collection, record, had) : [];
    this.#uniques.move(collection, had, has);
    change.held = has;
  }
}

/** What makes up the key of a view of a collection. */
export const partsOf = ({ name }: Collection, { owner, filter }: Omit<View, 'index'>) => ({
  owner: owner && { collection: owner.collection.name, number: owner.number },
  collection: name,
  filter,
});

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
