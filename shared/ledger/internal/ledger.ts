import { Failure } from '../../core/failure.ts';
import { newEpoch } from '../../core/ids.ts';
import type { System } from '../../core/system.ts';
import { Backoff } from '../../core/waits.ts';
import type { Principal } from './principal.ts';
import type { Item } from './attributes.ts';
import { nothingCollected, type Collected, type WriteStart } from './collected.ts';
import type { Collection, IdOf, RecordOf } from './collection.ts';
import { commit, type CommitOutcome } from './commit.ts';
import { compile, isEmpty, keysToRead, type Transaction } from './compile.ts';
import { unfoundedHead, type Head } from './head.ts';
import { keptIn, type KeptRecord, type KeptRequest } from './keyed-request.ts';
import { queueKey, recordKey, requestKey } from './keys.ts';
import { LedgerReader } from './ledger-reader.ts';
import {
  ReadSetReader,
  recordsAt,
  refOf,
  type CachedState,
  type PartialRead,
  type ReadSet,
  type RecordsOf,
} from './read-set.ts';
import { idOf, parseRecord, revisionOf } from './stored-record.ts';
import type { TableClient } from './table-client.ts';
import { Write } from './write.ts';
import { WriterQueue, type QueueCounter } from './writer-queue.ts';

/** Maximum number of tries when the head has not changed but another item has. */
const maxStaleTries = 6;

/**
 * Limits of writes in a row, each on the head that the previous write stored. Others may wait, and lose every race
 * against this writer, so that no head tells of them. So a writer reads the queue's counter once in `each` writes,
 * after `first` writes. If no two writers of the organization have ever met, the head has no queue. Then others seldom
 * wait, and the writer begins to read only after `firstAlone` writes: a batch of a request never does.
 */
const writesInRow = { first: 8, firstAlone: 100, each: 8 };

/** Thrown if the stored data contradicts itself, so that a write cannot succeed. */
export class Inconsistent extends Error {
  constructor(where: readonly string[]) {
    super(
      `The stored data of ${[...new Set(where)].join(', ')} does not fit the organization's head: run "npm run admin -- ` +
        'organization verify" to see what is wrong.',
    );
    this.name = 'Inconsistent';
  }
}

/** Thrown if another organization has the code. */
export class CodeTaken extends Error {}

/** Builds a change: see `Ledger.write`. */
type Build<R extends ReadSet, T> = (write: Write, records: RecordsOf<R>) => T | Promise<T>;

/**
 * The end of one try. `outdated`: the build used stale data, and would have ended without a transaction to check the
 * data. The stale data is the head that this writer stored last, or a record that an earlier write had not reached yet.
 */
type Tried<T> =
  | { kind: 'done'; result: T }
  | { kind: 'outdated' }
  | Exclude<CommitOutcome, { kind: 'stored' }>;

/**
 * One organization's ledger, for one principal. Every write is one transaction that advances the organization's
 * head. So the writes of an organization happen one after the other, and each as a whole.
 *
 * Writes lock optimistically: a write reads, builds, sends the transaction, and starts again if another writer
 * was faster. A transaction or a serializable read checks everything that a write relies on: the order of
 * plain reads guarantees nothing.
 */
export class Ledger extends LedgerReader {
  readonly #queueCounter: QueueCounter;
  /**
   * Head and items that this writer's last write stored. The next write of a batch uses them instead of
   * reading them again.
   */
  #last: CachedState | undefined;
  /** Version after this writer's last write. */
  #ownVersion = 0;
  /** Number of writes that began with the state that the previous write stored. */
  #inRow = 0;

  constructor(table: TableClient, system: System, principal: Principal) {
    super(table, system, principal);
    this.#queueCounter = table.queueCounterAt(queueKey(principal.organization));
  }

  /**
   * Changes the organization in one transaction. `build` gets the records of `readSet` and collects the changes in
   * `write`. The result of `build` is returned once the changes are stored, or if there are none. If another writer was
   * faster, `build` runs again on newer records, so it must have no other effects. If `build` changes nothing, or
   * throws a Failure, a serializable read first confirms the data that `build` used.
   *
   * @throws Failure `notFound`, or the failure that the read set names, for a missing record
   * @throws Failure `conflict` if a claimed value is taken; `throttled` if a daily count is at its maximum
   * @throws Failure `unavailable` if the deadline came first, with nothing written; `internal` if the deadline came
   * before a reply
   * @throws RequestTaken if the principal's request is stored already
   * @throws NoHead if the organization does not exist
   * @throws OtherFormat if the data has another storage format
   * @throws Inconsistent if the stored data contradicts itself
   * @throws Error of `build`, with nothing written
   *
   * @example
   * const ref = ledger.ref(companies, companyId); // A bad id is a 404.
   * await ledger.write({ change: { company: ref } }, (write, { company }) => {
   *   write.replace(ref, { ...company, name });
   *   // Every write appends an event.
   *   recordEvent(write, { event: 'COMPANY_UPDATED', about: company.id });
   * });
   */
  async write<R extends ReadSet, T>(readSet: R, build: Build<R, T>): Promise<T> {
    const { deadline } = this.principal;
    const isFurther = this.#ownVersion > 0;
    const queue = new WriterQueue({ system: this.system, deadline, isFurther }, this.#queueCounter);
    try {
      return await this.#carryOut(queue, readSet, build);
    } finally {
      await queue.giveUp();
    }
  }

  /** Reads the head until it is this writer's turn, and tries. Goes on until a try ends the write. */
  async #carryOut<R extends ReadSet, T>(queue: WriterQueue, readSet: R, build: Build<R, T>): Promise<T> {
    const reads = new ReadSetReader(this.table, this.system, this.principal, readSet);
    const backoff = new Backoff(this.system, this.principal.deadline);
    const last = this.#last;
    this.#last = undefined;
    let isRemembered = last !== undefined;
    let staleTries = 0;
    if (isRemembered) this.#inRow++;
    const firstToRead = last?.head.queue ? writesInRow.first : writesInRow.firstAlone;
    const readsCounter = isRemembered && this.#inRow >= firstToRead && this.#inRow % writesInRow.each === 0;
    let seen = await queue.look(reads.first(last), { isHeadRead: !isRemembered, readsCounter });
    for (;;) {
      /** A newer head, if it is known without a read. */
      let known: Head | undefined;
      if (!queue.mayTry(seen.head)) known = await queue.wait(seen.head);
      else {
        const tried = await this.#try({ queue, reads, readSet, build, isRemembered }, seen);
        switch (tried.kind) {
          case 'done':
            return tried.result;
          case 'moved':
            // A remembered head may also be old without contention.
            known = isRemembered ? tried.winner : await queue.onMoved(tried.winner);
            break;
          case 'collided':
            await queue.onConflict(seen.head);
            break;
          case 'unsettled':
            await backoff.wait(undefined);
            break;
          case 'stale':
            staleTries++;
            if (staleTries === maxStaleTries) throw new Inconsistent(tried.where);
            // The first retry needs no wait: the other transaction's items are visible by now.
            if (staleTries > 1) await backoff.wait(undefined);
            break;
          case 'outdated':
            known = reads.newerHead(seen.head);
            break;
        }
      }
      isRemembered = false;
      const withChanges = known === undefined && queue.isNearFront;
      seen = await queue.look(reads.again(known, { withChanges }), { isHeadRead: known === undefined });
    }
  }

  /** Builds the change on the data that was read, and sends the change if there is one. */
  async #try<R extends ReadSet, T>(
    {
      queue,
      reads,
      readSet,
      build,
      isRemembered,
    }: { queue: WriterQueue; reads: ReadSetReader; readSet: R; build: Build<R, T>; isRemembered: boolean },
    seen: PartialRead,
  ): Promise<Tried<T>> {
    const system = this.system;
    const { deadline, organization } = this.principal;
    const items = await reads.complete(seen);
    const toChange = reads.toChange.map((wanted, at) => ({
      ref: refOf(wanted),
      item: items.changes[at],
      mayStayUnchanged: 'mayStayUnchanged' in wanted,
    }));
    const changes = this.#nothingCollected(seen.head, reads, toChange);
    const isConfirmed = () => reads.isConfirmed(seen.head, changes.questions);
    let result: T;
    let transaction: Transaction | undefined;
    try {
      result = await build(new Write(changes), recordsAt(organization, readSet, items));
      if (!isEmpty(changes)) {
        const read = await reads.items(keysToRead(changes));
        transaction = compile(changes, read, (head) => queue.withQueueEstimate(head));
      }
    } catch (error) {
      if (error instanceof Failure && (isRemembered || !(await isConfirmed()))) return { kind: 'outdated' };
      throw error;
    }
    if (!transaction) return (await isConfirmed()) ? { kind: 'done', result } : { kind: 'outdated' };
    const outcome = await commit(this.table, transaction.operations, { system, deadline });
    if (outcome.kind !== 'stored') return outcome;
    queue.onStored();
    const { request } = this.principal;
    if (request && transaction.keptRequest) request.kept = transaction.keptRequest;
    this.#last = transaction;
    this.#ownVersion = transaction.head.version;
    return { kind: 'done', result };
  }

  /**
   * Reads what is kept of the principal's request, and changes `principal.request.kept` to it. The methods below return
   * parts of it. One round trip. With `isSerializable`, waits until a transaction under way has ended.
   */
  async refreshKept({ isSerializable = false } = {}): Promise<KeptRequest | undefined> {
    const { request, organization } = this.principal;
    if (!request) return undefined;
    const key = requestKey(organization, request.id);
    const item = await (isSerializable ? this.settledItem(key) : this.table.get(key));
    return (request.kept = item && keptIn(item, new Date(this.system.now()).toISOString()));
  }

  /** Records of a collection that are kept of the principal's request. No call. */
  keptRecords(collection: Collection): KeptRecord[] {
    const all = this.principal.request?.kept?.records ?? [];
    return all.filter(({ collection: name }) => name === collection.name);
  }

  /**
   * Public id of the first record of a collection that is kept of the principal's request. No call.
   * @throws Error if there is none
   */
  keptId<C extends Collection>(collection: C): IdOf<C> {
    const [first] = this.keptRecords(collection);
    if (!first) throw new Error(`The request kept no ${collection.label}`);
    return this.idOf(collection, first.number);
  }

  /** Public id of a record with this number. No call. */
  idOf<C extends Collection>(collection: C, number: number): IdOf<C> {
    return idOf(collection, this.principal.organization, number);
  }

  /** Replay data that `Write.keepReplayData` kept of the principal's request; empty if there is none. No call. */
  get replayData(): string {
    return this.principal.request?.kept?.replayData ?? '';
  }

  /**
   * A kept record if nobody has changed or removed the record since the request stored it; otherwise undefined. One
   * round trip.
   */
  async getAsKept<C extends Collection>(collection: C, kept: KeptRecord): Promise<RecordOf<C> | undefined> {
    const item = await this.#itemAsKept(kept);
    return item && parseRecord(collection, item);
  }

  /** True if nobody has changed or removed the kept records since the principal's request stored them. One round trip. */
  async areAllAsKept(): Promise<boolean> {
    const records = this.principal.request?.kept?.records ?? [];
    const items = await Promise.all(records.map((one) => this.#itemAsKept(one)));
    return items.every((item) => item !== undefined);
  }

  async #itemAsKept({ collection, number, revision }: KeptRecord): Promise<Item | undefined> {
    const key = recordKey(this.principal.organization, collection, number);
    const seen = await this.table.get(key);
    // The request's transaction may have reached the request's item before this item. A plain read then shows the old
    // item.
    const isOld = seen === undefined || revisionOf(seen) < revision;
    const item = isOld ? await this.settledItem(key) : seen;
    return item && revisionOf(item) === revision ? item : undefined;
  }

  /** Creates the organization by its first write. @throws CodeTaken if another organization has its code */
  async found<T>(country: string, build: (write: Write) => T): Promise<T> {
    const changes = this.#nothingCollected(
      unfoundedHead(country, newEpoch(this.system.randomBytes.bind(this.system))),
      new ReadSetReader(this.table, this.system, this.principal, {}),
      [],
    );
    const result = build(new Write(changes));
    // A new organization has nothing to read.
    const { operations } = compile(changes);
    const system = this.system;
    const { deadline, organization } = this.principal;
    const backoff = new Backoff(system, deadline);
    for (;;) {
      const outcome = await commit(this.table, operations, { system, deadline });
      if (outcome.kind === 'stored') return result;
      if (outcome.kind === 'moved' || outcome.kind === 'stale')
        throw new CodeTaken(`Organization code ${organization} is taken`);
      // Another write may be creating the organization, and can still fail.
      await backoff.wait(undefined);
    }
  }

  #nothingCollected(head: Head, reads: ReadSetReader, toChange: WriteStart['toChange']): Collected {
    return nothingCollected(this.principal, {
      tableName: this.table.name,
      head,
      now: new Date(this.system.now()).toISOString(),
      ownVersion: this.#ownVersion,
      toChange,
      reads,
      randomBytes: (size) => this.system.randomBytes(size),
    });
  }
}
