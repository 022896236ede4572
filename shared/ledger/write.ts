import { isDeepStrictEqual } from 'node:util';
import { conflict, type Failure } from '../endpoints/errors.ts';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import { events, type Collection, type LedgerEvent, type Place, type RecordOf } from './collection.ts';
import type { Grant } from './grant.ts';
import { filteredList, numberingOf, withNumbering, type Head } from './head.ts';
import { recordId } from './ids.ts';
import {
  deletedKey,
  grantKey,
  headKey,
  recordKey,
  uniqueKey,
  viewKey,
  type Key,
  type ViewIndex,
} from './keys.ts';
import { liveCount, placeInBucket, withDeleted, withNext } from './numbering.ts';
import type { TransactItem } from './table.ts';

/** A value that at most one live record of an organization has, without regard to case. */
export interface Unique {
  collection: Collection;
  field: string;
  value: string;
  /** The record that both belong to, where the value may be had once in each. */
  within?: Place;
}

/**
 * A filtered list: the records of a collection that belong to the record `owner`, or to the organization where there is
 * none, and have the value `filter`, where there is one. A record that is in a view stays in it.
 */
export interface View {
  index: ViewIndex;
  owner?: Place;
  filter?: string;
}

/** Where a record stands in a view: it is its `rank`th, from 1. */
export interface InView extends View {
  rank: number;
}

/** What there is to tell of a change of a record. */
interface Change<C extends Collection> extends Pick<LedgerEvent, 'event' | 'data'> {
  id: string | number;
  /** The value that no other live record has, where there is one. */
  uniqueOf?: (record: RecordOf<C>) => Unique;
}

/** What a write does to one unique value: the record that had it gives it up, another takes it, or both. */
interface UniqueChange {
  unique: Unique;
  released: boolean;
  holder?: string | number;
}

/** One operation of the transaction; `refusal` is what its failed condition means. */
interface Step {
  operation: TransactItem;
  refusal?: (holder: unknown) => Failure;
}

/** DynamoDB's limit on one transaction. */
const mostSteps = 100;

/**
 * One change of an organization in the making. It only collects; the ledger stores it in one transaction together
 * with the head, or not at all. It is built anew, on a newer head, each time another writer was faster.
 */
export class Write {
  /** The moment of the change, in the API's format. */
  readonly now: string;
  readonly #tableName: string;
  readonly #caller: Caller;
  readonly #seen: Head;
  #head: Head;
  /** DynamoDB takes one operation per item, so what is done to an item is kept by its key. */
  readonly #items = new Map<string, TransactItem>();
  readonly #uniques = new Map<string, UniqueChange>();
  readonly #deleted = new Map<string, { key: Key; offsets: Set<number> }>();
  /** Of each record that this write has read or added, what no schema knows, such as its views: it stays. */
  readonly #kept = new Map<string, Item>();

  constructor(tableName: string, caller: Caller, head: Head, now: string) {
    this.#tableName = tableName;
    this.#caller = caller;
    this.#seen = head;
    this.#head = head;
    this.now = now;
  }

  /** The organization's country: national phone numbers are read as that country's. */
  get country(): string {
    return this.#head.country;
  }

  /** Whether this is the organization's first write. */
  get isFounding(): boolean {
    return this.#seen.version === 0;
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

  /** Notes what was read: what replaces it keeps its views, and whatever a newer version of the code put there. */
  hasRead({ collection, number }: Place, item: Item): void {
    const key = recordKey(this.#caller.organization, collection.name, number);
    const known = { pk: '', sk: '', ...collection.schema.entries };
    const kept = Object.entries(item).filter(([name]) => !Object.hasOwn(known, name));
    this.#kept.set(nameOf(key), Object.fromEntries(kept));
  }

  /** Takes the next rank in a view of the whole organization; one of a single record is counted in that record. */
  nextRank(collection: Collection, filter: string): number {
    return this.#giveOut(filteredList(collection, filter));
  }

  /** Adds a record under the next number of its collection, and to views, and tells where it is. */
  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
    views: readonly InView[] = [],
  ): { place: Place<C>; record: RecordOf<C> } {
    const as = this.next(collection);
    this.#giveOut(collection.name);
    const record = build(as);
    const place = { collection, number: as.number };
    this.#add(place, record, views);
    return { place, record };
  }

  /**
   * Stores a record in the place of one that this write has appended or read, so no change gets lost. It stays in the
   * views that it is in.
   */
  replace<C extends Collection>({ collection, number }: Place<C>, record: RecordOf<C>): void {
    const key = recordKey(this.#caller.organization, collection.name, number);
    const kept = this.#kept.get(nameOf(key));
    if (kept === undefined) throw new Error('A write replaces a record that it has not read');
    this.#put(key, { ...kept, ...record });
  }

  /**
   * Stores what a record that this write has read becomes, at this moment where it has an `updatedAt`, moves its unique
   * value where that changes, and tells so. Where it is what it was, nothing is stored.
   */
  change<C extends Collection>(
    place: Place<C>,
    { before, after }: { before: RecordOf<C>; after: RecordOf<C> },
    { id, event, data, uniqueOf }: Change<C>,
  ): RecordOf<C> {
    if (isDeepStrictEqual(after, before)) return before;
    const stored = { ...after, ...('updatedAt' in after && { updatedAt: this.now }) };
    this.replace(place, stored);
    const [had, has] = [uniqueOf?.(before), uniqueOf?.(after)];
    if (had && has && !isDeepStrictEqual(had, has)) {
      this.release(had);
      this.claim(has, id);
    }
    this.event({ event, data, referenceId: String(id) });
    return stored;
  }

  /** Deletes a record that this write has read, and notes the hole it leaves among the numbers. */
  remove({ collection, number }: Place): void {
    const { organization } = this.#caller;
    const numbering = withDeleted(numberingOf(this.#head, collection.name), number);
    this.#head = withNumbering(this.#head, collection.name, numbering);
    const key = recordKey(organization, collection.name, number);
    this.#items.set(nameOf(key), { Delete: { TableName: this.#tableName, Key: key } });
    const { bucket, offset } = placeInBucket(number);
    const bucketKey = deletedKey(organization, collection.name, bucket);
    const offsets = this.#deleted.get(nameOf(bucketKey))?.offsets ?? new Set();
    this.#deleted.set(nameOf(bucketKey), { key: bucketKey, offsets: offsets.add(offset) });
  }

  /**
   * Reserves a value for the record `holder`. If a live record has it, the write fails as a conflict that names it.
   * @throws Failure `conflict` when this same write has reserved it already.
   */
  claim(unique: Unique, holder: string | number): void {
    const change = this.#changeOf(unique);
    if (change.holder !== undefined) throw taken(unique, change.holder);
    change.holder = holder;
  }

  /** Gives up a value that a record which this write has read had reserved. */
  release(unique: Unique): void {
    this.#changeOf(unique).released = true;
  }

  /** Tells what happened. Every write has at least one event: the number of the last is the head's version. */
  event(event: Pick<LedgerEvent, 'event' | 'data' | 'referenceId'>, view?: InView): void {
    const id = this.#head.version + 1;
    this.#head = { ...this.#head, version: id };
    const record = { id, ...event, userId: this.#caller.userId, createdAt: this.now };
    this.#add({ collection: events, number: id }, record, view ? [view] : []);
  }

  /** Lets the bearer of the token with this hash act in the organization, in this way from now on. */
  grant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.#put(grantKey(tokenHash), { ...grant, organization: this.#caller.organization });
  }

  /** Lets the bearer of the token with this hash, which a record of this organization holds, act no more. */
  revoke(tokenHash: string): void {
    const key = grantKey(tokenHash);
    this.#items.set(nameOf(key), { Delete: { TableName: this.#tableName, Key: key } });
  }

  /** Whether nothing was changed, so that there is nothing to store. */
  get isEmpty(): boolean {
    return this.#items.size === 0 && this.#uniques.size === 0 && this.#head === this.#seen;
  }

  /** The parts of the transaction, the head first. @throws Error when the change has no event, or too many parts. */
  steps(): Step[] {
    if (this.#head.version === this.#seen.version) throw new Error('A write without an event');
    const steps = [
      { operation: this.#advanceHead() },
      ...[...this.#items.values()].map((operation) => ({ operation })),
      ...[...this.#uniques.values()].map((change) => this.#uniqueStep(change)),
      ...[...this.#deleted.values()].map(({ key, offsets }) => ({
        operation: this.#noteHoles(key, offsets),
      })),
    ];
    if (steps.length > mostSteps) throw new Error(`A write of more than ${mostSteps} items`);
    return steps;
  }

  #advanceHead(): TransactItem {
    return {
      Put: {
        TableName: this.#tableName,
        Item: { ...this.#head, ...headKey(this.#caller.organization) },
        // With the refusal comes the winner's head, which need not be read then.
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...(this.isFounding
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'version = :seen',
              ExpressionAttributeValues: { ':seen': this.#seen.version },
            }),
      },
    };
  }

  #uniqueStep({ unique, released, holder }: UniqueChange): Step {
    const TableName = this.#tableName;
    const key = this.#uniqueKeyOf(unique);
    if (holder === undefined) return { operation: { Delete: { TableName, Key: key } } };
    const Item = { ...key, id: holder };
    // A value that changes hands, or only its case, is there: the record that had it gave it up in this same write.
    if (released) return { operation: { Put: { TableName, Item } } };
    const condition = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    return {
      operation: { Put: { TableName, Item, ...condition } },
      refusal: (id) => taken(unique, typeof id === 'number' ? id : String(id)),
    };
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

  /** Takes the next number of a collection, or rank of a view. */
  #giveOut(name: string): number {
    const numbering = withNext(numberingOf(this.#head, name));
    this.#head = withNumbering(this.#head, name, numbering);
    return numbering.last;
  }

  /** Stores a new record, and remembers its views in case it is replaced in this same write. */
  #add<C extends Collection>(
    { collection, number }: Place<C>,
    record: RecordOf<C>,
    views: readonly InView[],
  ) {
    const { organization } = this.#caller;
    const attributes: Item = {};
    for (const { index, rank, ...view } of views) {
      attributes[index] = viewKey(organization, partsOf(collection, view));
      attributes[`${index}Rank`] = rank;
    }
    this.#kept.set(nameOf(recordKey(organization, collection.name, number)), attributes);
    this.replace({ collection, number }, record);
  }

  #put(key: Key, attributes: object): void {
    this.#items.set(nameOf(key), { Put: { TableName: this.#tableName, Item: { ...attributes, ...key } } });
  }

  #changeOf(unique: Unique): UniqueChange {
    const name = nameOf(this.#uniqueKeyOf(unique));
    const change = this.#uniques.get(name) ?? { unique, released: false };
    this.#uniques.set(name, change);
    return change;
  }

  #uniqueKeyOf({ collection, field, value, within }: Unique): Key {
    const kind = `${collection.name}.${field}`;
    return uniqueKey(this.#caller.organization, { kind, within: within?.number, value });
  }
}

/** What makes up the key of a view of a collection. */
export const partsOf = ({ name }: Collection, { owner, filter }: Omit<View, 'index'>) => ({
  owner: owner && { collection: owner.collection.name, number: owner.number },
  collection: name,
  filter,
});

const taken = ({ collection, field, within }: Unique, holder: string | number) =>
  conflict(
    `${collection.label} has this ${field}${within ? ` in the same ${within.collection.label}` : ''}`,
    holder,
  );

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
