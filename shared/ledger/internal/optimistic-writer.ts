import { Failure } from '../../core/failure.ts';
import type { System } from '../../core/system.ts';
import { Backoff } from '../../core/waits.ts';
import type { Caller } from './caller.ts';
import { commit } from './commit.ts';
import { WriterQueue } from './writer-queue.ts';
import { unfoundedHead, type Head } from './head.ts';
import { queueKey } from './keys.ts';
import type { WriteDependencies } from './unit-of-work.ts';
import { TransactionBuilder } from './transaction-builder.ts';
import { recordsAt, type ReadSet, type RecordsOf } from './read-set.ts';
import type { TableClient } from './table-client.ts';
import type { Write } from './write.ts';
import { ReadSetReader, type CachedState } from './read-set-reader.ts';

/** Maximum number of tries when the head has not changed but another item has. */
const maxStaleTries = 6;

/** Thrown if the stored data contradicts itself, so that a write cannot succeed. */
export class Inconsistent extends Error {
  constructor(where: readonly string[]) {
    super(
      `What is stored in ${[...new Set(where)].join(', ')} does not fit the organization's head: ` +
        'run "npm run admin -- organization verify" to see what is wrong.',
    );
    this.name = 'Inconsistent';
  }
}

/** Thrown if another organization has the code. */
export class CodeTaken extends Error {}

/** Builds a change: see `Ledger.write`. */
export type Build<R extends ReadSet, T> = (write: Write, records: RecordsOf<R>) => T | Promise<T>;

/**
 * Runs the writes of one organization with optimistic locking: reads, builds, sends the transaction, and
 * starts again if another writer was faster. A transaction or a serializable read checks everything that a
 * write relies on: the order of plain reads guarantees nothing.
 */
export class OptimisticWriter {
  readonly #table: TableClient;
  readonly #system: System;
  readonly #caller: Caller;
  /**
   * Head and items that this writer's last write stored. The next write of a batch uses them instead of
   * reading them again.
   */
  #last: CachedState | undefined;

  constructor(table: TableClient, system: System, caller: Caller) {
    this.#table = table;
    this.#system = system;
    this.#caller = caller;
  }

  /** Implements `Ledger.write`. */
  async write<R extends ReadSet, T>(readSet: R, build: Build<R, T>): Promise<T> {
    const { deadline, organization } = this.#caller;
    const counter = this.#table.queueCounterAt(queueKey(organization));
    const queue = new WriterQueue({ system: this.#system, deadline }, counter);
    try {
      return await this.#carryOut(queue, readSet, build);
    } finally {
      await queue.giveUp();
    }
  }

  async #carryOut<R extends ReadSet, T>(queue: WriterQueue, readSet: R, build: Build<R, T>): Promise<T> {
    const system = this.#system;
    const { deadline, organization } = this.#caller;
    const reads = this.#reads(readSet);
    const backoff = new Backoff(system, deadline);
    let staleTries = 0;
    let cachedHead = this.#last;
    let isRemembered = cachedHead !== undefined;
    this.#last = undefined;
    for (let isFirst = true; ; isFirst = false) {
      const began = system.now();
      const [seen, givenUp] = await Promise.all([
        isFirst
          ? reads.first(cachedHead)
          : reads.again(cachedHead?.head, { withChanges: !cachedHead && queue.isNearFront }),
        queue.isInDoubt ? this.#table.queueCounterAt(queueKey(organization)).givenUp() : 0,
      ]);
      queue.observe(seen.head, { givenUp, ...(!cachedHead && { milliseconds: system.now() - began }) });
      cachedHead = undefined;
      if (!queue.mayTry(seen.head)) {
        cachedHead = onlyHead(await queue.wait(seen.head));
        isRemembered = false;
        continue;
      }
      const items = await reads.complete(seen);
      const write = this.#newWrite(seen.head, reads);
      for (const [at, { ref, mayStayUnchanged }] of reads.wanted.entries())
        write.addRead(ref, items.changes[at], { mayStayUnchanged });
      let result: T;
      try {
        result = await build(write, recordsAt(organization, readSet, items));
      } catch (error) {
        // The cached head may be out of date: read the head, and build again.
        if (!isRemembered || !(error instanceof Failure)) throw error;
        isRemembered = false;
        continue;
      }
      if (write.isEmpty) return result;
      await reads.lists(write);
      const outcome = await commit(this.#table, write, {
        organization,
        system,
        deadline,
        withQueue: (head) => queue.withQueueEstimate(head),
      });
      switch (outcome.kind) {
        case 'stored':
          queue.onStored();
          this.#last = { head: write.storedHead, items: write.storedItems };
          return result;
        case 'moved':
          // A cached head may be old for other reasons than contention.
          if (!isRemembered) await queue.onMoved(outcome.winner);
          cachedHead = onlyHead(outcome.winner);
          break;
        case 'collided':
          await queue.onConflict(seen.head);
          break;
        case 'stale':
          staleTries++;
          if (staleTries === maxStaleTries) throw new Inconsistent(outcome.where);
          // The first retry needs no wait: the other transaction's items are visible by now.
          if (staleTries > 1) await backoff.wait(undefined);
          break;
      }
      isRemembered = false;
    }
  }

  /** Implements `Ledger.found`. */
  async found<T>(country: string, build: (write: Write) => T): Promise<T> {
    const write = this.#newWrite(unfoundedHead(country), this.#reads({}));
    const result = build(write);
    // A new organization has no stored lists.
    for (const partition of write.listsToRead) write.addListState(partition, undefined);
    const system = this.#system;
    const { deadline, organization } = this.#caller;
    const backoff = new Backoff(system, deadline);
    for (;;) {
      const outcome = await commit(this.#table, write, { organization, system, deadline });
      if (outcome.kind === 'stored') return result;
      if (outcome.kind !== 'collided') throw new CodeTaken(`Organization code ${organization} is taken`);
      // Another write may be creating the organization, and can still fail.
      await backoff.wait(undefined);
    }
  }

  #reads(readSet: ReadSet): ReadSetReader {
    return new ReadSetReader({ table: this.#table, system: this.#system, caller: this.#caller }, readSet);
  }

  #newWrite(head: Head, reads: ReadSetReader): TransactionBuilder {
    const now = new Date(this.#system.now()).toISOString();
    const dependencies: WriteDependencies = {
      readItem: (ref) => reads.item(ref, head),
      readFormer: (ref) => reads.former(ref),
      snapshot: (keys) => reads.snapshot(keys),
      randomBytes: (size) => this.#system.randomBytes(size),
    };
    return new TransactionBuilder(this.#table.name, this.#caller, { head, now, dependencies });
  }
}

const onlyHead = (head: Head | undefined): CachedState | undefined => head && { head, items: new Map() };
