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

/** A table's name in, one operation of the transaction out; `refusal` is what its failed condition means. */
interface Step {
  operation: (table: string) => TransactItem;
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
  readonly #caller: Caller;
  readonly #seen: Head;
  readonly #steps = new Map<string, Step>();
  #head: Head;

  constructor(caller: Caller, head: Head, now: string) {
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

  /** Stores a record in its place. What it was before has been read in this same write, so no change gets lost. */
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
    this.#delete(recordKey(organization, collection.name, number));
    const { bucket, offset } = placeInBucket(number);
    const key = deletedKey(organization, collection.name, bucket);
    this.#step(key, {
      operation: (TableName) => ({
        Update: {
          TableName,
          Key: key,
          UpdateExpression: 'ADD offsets :offset',
          ExpressionAttributeValues: { ':offset': new Set([offset]) },
        },
      }),
    });
  }

  /** Reserves a value for the record `holder`. If a live record has it, the write fails as a conflict that names it. */
  claim({ collection, field, value }: Unique, holder: string | number): void {
    const key = uniqueKey(this.#caller.organization, `${collection.name}.${field}`, value);
    this.#step(key, {
      operation: (TableName) => ({
        Put: {
          TableName,
          Item: { ...key, id: holder },
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      }),
      refusal: (id) =>
        conflict(`${collection.label} has this ${field}`, typeof id === 'number' ? id : String(id)),
    });
  }

  /** Gives up a value that this write's record had reserved. */
  release({ collection, field, value }: Unique): void {
    this.#delete(uniqueKey(this.#caller.organization, `${collection.name}.${field}`, value));
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

  /** The operations of the transaction, the head first. @throws Error when the change has no event, or too many parts. */
  operations(table: string): TransactItem[] {
    if (this.#head.version === this.#seen.version) throw new Error('A write without an event');
    if (this.#steps.size + 1 > mostSteps) throw new Error(`A write of more than ${mostSteps} items`);
    return [this.#advanceHead(table), ...[...this.#steps.values()].map(({ operation }) => operation(table))];
  }

  /** What the failed condition of an operation means; `at` is its place after the head's. */
  refusal(at: number, holder: unknown): Failure | undefined {
    return [...this.#steps.values()][at]?.refusal?.(holder);
  }

  #advanceHead(TableName: string): TransactItem {
    return {
      Put: {
        TableName,
        Item: { ...this.#head, ...headKey(this.#caller.organization) },
        ...(this.isFounding
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'version = :seen',
              ExpressionAttributeValues: { ':seen': this.#seen.version },
            }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  #viewAttributes(collection: Collection, { index, owner, rank }: InView) {
    const key = viewKey(this.#caller.organization, owner.collection.name, owner.number, collection.name);
    return { [index]: key, [`${index}Rank`]: rank };
  }

  #put(key: Key, attributes: object): void {
    this.#step(key, { operation: (TableName) => ({ Put: { TableName, Item: { ...attributes, ...key } } }) });
  }

  #delete(key: Key): void {
    this.#step(key, { operation: (TableName) => ({ Delete: { TableName, Key: key } }) });
  }

  /** One operation per item, as DynamoDB demands: a later step on the same item takes the place of the earlier. */
  #step(key: Key, step: Step): void {
    this.#steps.set(`${key.pk} ${key.sk}`, step);
  }
}
