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

/** What happened, and to which record. */
export type NewEvent = Pick<LedgerEvent, 'event' | 'data' | 'referenceId'>;

/** One record that a write appended. */
export interface Appended<C extends Collection> {
  ref: RecordRef<C>;
  record: RecordOf<C>;
}

/**
 * Collects one change of an organization, which the ledger stores in one transaction or not at all. It is
 * built again on newer records if another writer was faster. Lists and unique values follow from the records'
 * collections.
 */
export interface Write {
  /** The moment of the change, in the API's format. */
  readonly now: string;
  /** The organization's country: national phone numbers are read as that country's. */
  readonly country: string;

  /**
   * A record that is to be changed, where only what was read before says which; undefined if there is none. One
   * round trip, none for a record that this write knows. The transaction proves that it is as it was read. It can be
   * newer than the rest: then the write is built again. With `mayStayUnchanged` it may be left as it is; then nothing of it is
   * proved.
   */
  read<C extends Collection>(
    ref: RecordRef<C>,
    options?: { mayStayUnchanged?: boolean },
  ): Promise<RecordOf<C> | undefined>;

  /**
   * Whether lists that a removed record owned still have members; false as well for a record that an older version of the
   * code removed, and for one that is there. A write whose members leave such a list has asked this before. One round
   * trip, a second one where nothing is kept. The transaction proves what it changes of it.
   */
  readFormer(ref: RecordRef): Promise<boolean>;

  /**
   * How many members the lists have that a record owns, which this write has read (those of its events aside), as it was
   * read. If more than this write removes, something is left of the record when it is removed. The transaction proves it
   * where it removes the record. No call. @throws Error for a record that is not there
   */
  membersOf(ref: RecordRef): number;

  /**
   * The id of the live record that has a unique value, where only what was read before says which value; undefined if
   * there is none. One round trip: a serializable read, as of `ReadSet.holders`, and vouched for alike. What this write has
   * claimed or given up counts.
   */
  holderOf<C extends Collection>(collection: C, unique: UniqueValue): Promise<IdOf<C> | undefined>;

  /** As `holderOf`, for several values at once, in their order. One serializable read for each hundred keys. */
  holdersOf<C extends Collection>(
    collection: C,
    uniques: readonly UniqueValue[],
  ): Promise<(IdOf<C> | undefined)[]>;

  /**
   * The hash of a text by the organization's own key, which nobody outside has: HMAC-SHA256, base64url. The same text
   * always has the same hash in an organization, and another one elsewhere. No call: the key is in the head.
   */
  hashed(text: string): string;

  /** Whether the organization has its key for hashes. If it has none, `hashed` makes one, by which nothing that was hashed before is found. */
  readonly hasHashKey: boolean;

  /**
   * Counts what this write stores among what is counted of the day, UTC. If the day had as many as it may have, nothing is stored.
   * Once in a write for each kind and name. No call; two write units.
   * @throws Failure `throttled` from the ledger's `write`, not from here
   */
  countToday(count: DayCount): void;

  /** How many live records a collection will have. */
  count(collection: Collection): number;

  /** Whether there is, or was, a record of this number. No call: the head has the last that was given out. */
  hasExisted(ref: RecordRef): boolean;

  /**
   * How many more items the transaction takes, of DynamoDB's hundred, as it stands: the head, records, unique values,
   * grants, phone numbers and counts of the day are counted. Ten are kept back for what lists note. A record that leaves lists can need up
   * to three for each, so who removes many counts them.
   */
  readonly remainingItems: number;

  /** The number and the id that the next record of a collection will get, for a record that refers to it. */
  next(collection: Collection): { number: number; id: string };

  /**
   * Adds a record under the next number of its collection, and claims its unique values. If a live record has one of
   * them, the write fails as a conflict that names it.
   * @throws Failure `conflict` when this same write has claimed a value already.
   */
  append<C extends Collection>(
    collection: C,
    build: (as: { number: number; id: string }) => RecordOf<C>,
  ): Appended<C>;

  /**
   * Replaces a record that this write has appended or read, so no change gets lost. `newestIn` is a kind of list in which it
   * becomes the newest member, also where it is one already. @throws Error for any other record
   */
  replace<C extends Collection>(
    ref: RecordRef<C>,
    record: RecordOf<C>,
    options?: { newestIn?: ListKindName<C> },
  ): void;

  /** Deletes a record that this write has read. @throws Error for any other */
  remove<C extends Collection>(ref: RecordRef<C>): void;

  /**
   * Appends an event, and adds it to the event lists of the records in `of`, which this write has read to
   * change, or appended. Every write has at least one event.
   */
  event(event: NewEvent, of?: readonly RecordRef[]): void;

  /** Lets the bearer of the token with this hash, which is new, act in the organization. */
  addGrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void;

  /** Lets the bearer of the token with this hash act in another way from now on. */
  replaceGrant(tokenHash: string, grant: Omit<Grant, 'organization'>): void;

  /** Lets the bearer of the token with this hash, which a record of this organization holds, act no more. */
  revokeGrant(tokenHash: string): void;

  /**
   * Makes a phone number (E.164) the organization's, by which `Store.organizationOfPhoneNumber` finds it. If another
   * organization has it, the write fails as a conflict; if this one has it, nothing changes.
   */
  claimPhoneNumber(phone: string): void;

  /** Whether a phone number is the organization's by now. One round trip, a serializable read. */
  holdsPhoneNumber(phone: string): Promise<boolean>;

  /** Gives up a phone number that is this organization's, or nobody's. If another organization has it, the write fails. */
  releasePhoneNumber(phone: string): void;
}
