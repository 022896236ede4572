import { conflict, type Failure } from '../endpoints/errors.ts';
import type { Caller } from './caller.ts';
import { events, type Collection, type LedgerEvent, type Place, type RecordOf } from './collection.ts';
import type { Grant } from './grant.ts';
import { numberingOf, withNumbering, type Head } from './head.ts';
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
import { placeInBucket, withDeleted, withNext } from './numbering.ts';
import type { TransactItem } from './table.ts';

/** A value that at most one live record of an organization has, without regard to case. */
export interface Unique {
  collection: Collection;
  field: string;
  value: string;
}

/** Where a record stands in a filtered list: record `rank`, from 1, of the list that `owner` has in the index. */
export interface InView {
  index: ViewIndex;
  owner: Place;
  rank: number;
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

  /** Adds a record under the next number of its collection, and tells where it is. */
  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
  ): { place: Place<C>; record: RecordOf<C> } {
    const numbering = withNext(numberingOf(this.#head, collection.name));
    this.#head = withNumbering(this.#head, collection.name, numbering);
    const number = numbering.last;
    const { prefix } = collection;
    const id = prefix === undefined ? String(number) : recordId(prefix, this.#caller.organization, number);
    const record = build({ number, id });
    const place = { collection, number };
    this.replace(place, record);
    return { place, record };
  }

  /**
   * Stores a record in its place, and in a view where one is given. What it was before has been read in this same
   * write, so no change gets lost.
   */
  replace<C extends Collection>({ collection, number }: Place<C>, record: RecordOf<C>, view?: InView): void {
    this.#put(recordKey(this.#caller.organization, collection.name, number), {
      ...record,
      ...(view && this.#viewAttributes(collection, view)),
    });
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
    this.replace({ collection: events, number: id }, record, view);
  }

  /** Lets the bearer of the token with this hash act in the organization. */
  grant(tokenHash: string, grant: Omit<Grant, 'organization'>): void {
    this.#put(grantKey(tokenHash), { ...grant, organization: this.#caller.organization });
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

  #viewAttributes(collection: Collection, { index, owner, rank }: InView) {
    const key = viewKey(this.#caller.organization, owner.collection.name, owner.number, collection.name);
    return { [index]: key, [`${index}Rank`]: rank };
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

  #uniqueKeyOf({ collection, field, value }: Unique): Key {
    return uniqueKey(this.#caller.organization, `${collection.name}.${field}`, value);
  }
}

const taken = ({ collection, field }: Unique, holder: string | number) =>
  conflict(`${collection.label} has this ${field}`, holder);

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
