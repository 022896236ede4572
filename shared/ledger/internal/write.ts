import type {
  Collection,
  LedgerEvent,
  ListKindName,
  RecordOf,
  RecordRef,
  UniqueValue,
} from './collection.ts';
import type { DayCount } from './day-counts.ts';
import type { Grant } from './grant.ts';
import type { IdOf } from './read-set.ts';

export type NewEvent = Pick<LedgerEvent, 'event' | 'data' | 'values' | 'referenceId'>;

/** A record that a write appended. */
export interface Appended<C extends Collection> {
  ref: RecordRef<C>;
  record: RecordOf<C>;
}

/**
 * Collects one change of an organization, which the ledger stores in one transaction or not at all. If
 * another writer was faster, the change is built again on newer records. Lists and unique values follow from
 * the records' collections.
 */
export interface Write {
  /** Time of the change, in the API's format. */
  readonly now: string;
  /** Country of the organization, by which national phone numbers are read. */
  readonly country: string;

  /**
   * Reads a record that the write will change. Use it when the id is known only after another read. Returns
   * undefined if the record does not exist. One round trip, or none for a record that this write has read.
   * The transaction checks that the record is as it was read. With `mayStayUnchanged` the write may leave it
   * unchanged; the transaction then does not check it.
   */
  read<C extends Collection>(
    ref: RecordRef<C>,
    options?: { mayStayUnchanged?: boolean },
  ): Promise<RecordOf<C> | undefined>;

  /**
   * True if lists that a removed record owned still have members. Call it before a member leaves such a list.
   * One round trip, or two if the record has no former item. The transaction checks the former item if it
   * changes.
   */
  readFormer(ref: RecordRef): Promise<boolean>;

  /**
   * Number of members of the lists that a record owns, except its events. This write must have read the
   * record. If the write removes the record but not all these members, the ledger keeps a former item. The
   * transaction checks the number if it removes the record. No call. @throws Error for a record that does not
   * exist
   */
  membersOf(ref: RecordRef): number;

  /**
   * Finds the public id of the live record that holds a unique value. Use it when the value is known only
   * after another read. Returns undefined if no record holds it. One round trip, a serializable read as for
   * `ReadSet.holders`. The result includes what this write has claimed and released.
   */
  holderOf<C extends Collection>(collection: C, unique: UniqueValue): Promise<IdOf<C> | undefined>;

  /**
   * Finds the holders of several values as `holderOf` does, in their order. One serializable read for each
   * hundred keys.
   */
  holdersOf<C extends Collection>(
    collection: C,
    uniques: readonly UniqueValue[],
  ): Promise<(IdOf<C> | undefined)[]>;

  /**
   * HMAC-SHA256 of a text with the organization's secret key, base64url. The same text has the same hash in
   * one organization, and another hash in any other. No call: the key is in the head.
   */
  hashed(text: string): string;

  /**
   * True if the organization has its hash key. If it has none, `hashed` creates a key, and no hash from
   * before can be found by it.
   */
  readonly hasHashKey: boolean;

  /**
   * Raises a daily count (UTC) by one. If the count is at its maximum, nothing of the write is stored. Call
   * it once in a write for each kind and name. No call; two write units.
   * @throws Failure `throttled` from `Ledger.write`, not from here
   */
  countToday(count: DayCount): void;

  /** Number of live records of a collection once the write is stored. */
  count(collection: Collection): number;

  /** True if a record with this number exists or existed. No call: the head has the last number given out. */
  hasExisted(ref: RecordRef): boolean;

  /**
   * Number of items that can still be added to the transaction. DynamoDB's limit is 100. The head, records,
   * unique values, grants, phone numbers and daily counts are counted; ten items are reserved for the holes
   * of lists. A record that leaves lists can need three items for each, so a write that removes many records
   * must count them itself.
   */
  readonly remainingItems: number;

  /** The number and the public id of the next record of a collection, for a record that refers to it. */
  next(collection: Collection): { number: number; id: string };

  /**
   * Adds a record under the next number of its collection, and claims its unique values. If a live record
   * holds one of them, the write fails with a conflict that names that record.
   * @throws Failure `conflict` if this same write has already claimed a value
   */
  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
  ): Appended<C>;

  /**
   * Replaces a record that this write has appended or read, so no change gets lost. `newestIn` is a kind of
   * list in which the record becomes the newest member, even if it is a member already. @throws Error for any
   * other record
   */
  replace<C extends Collection>(
    ref: RecordRef<C>,
    record: RecordOf<C>,
    options?: { newestIn?: ListKindName<C> },
  ): void;

  /** Deletes a record that this write has read. @throws Error for any other */
  remove<C extends Collection>(ref: RecordRef<C>): void;

  /**
   * Appends an event, and adds it to the event lists of the records in `of`, which this write must have read
   * to change, or appended. Every write needs at least one event.
   */
  event(event: NewEvent, of?: readonly RecordRef[]): void;

  /** Adds the grant of a new token. */
  addGrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void;

  replaceGrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void;

  /** Deletes the grant of a token that a record of this organization has. */
  revokeGrant(tokenHash: string): void;

  /**
   * Claims a phone number (E.164) for the organization, so that `Store.organizationOfPhoneNumber` finds it.
   * If another organization has it, the write fails with a conflict. If this one has it, nothing changes.
   */
  claimPhoneNumber(phone: string): void;

  /** True if the organization has this phone number. One round trip, a serializable read. */
  holdsPhoneNumber(phone: string): Promise<boolean>;

  /**
   * Releases a phone number of this organization. Does nothing if no organization has it. If another
   * organization has it, the write fails.
   */
  releasePhoneNumber(phone: string): void;
}
