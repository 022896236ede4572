import { Failure } from '../../core/failure.ts';
import type { System } from '../../core/system.ts';
import type { Item } from './attributes.ts';
import type { Caller } from './caller.ts';
import type { RecordRef } from './collection.ts';
import { commit } from './commit.ts';
import { ContentionBackoff } from './contention-backoff.ts';
import { parseHead, unfoundedHead, type Head } from './head.ts';
import { headKey, recordKey, stateKey, turnKey } from './keys.ts';
import { PendingWrite } from './pending-write.ts';
import { recordsAt, refsOf, type Reading, type RecordsOf } from './reading.ts';
import { Backoff } from './retry.ts';
import type { TableClient } from './table-client.ts';
import type { Write } from './write.ts';

/** What a write is built on. */
interface Seen {
  head: Head;
  changes: (Item | undefined)[];
  /** Undefined if not read yet, since a transaction held one of them. */
  checks: (Item | undefined)[] | undefined;
}

/** How often a write is tried while a record is not as read although the head is. */
const maxStaleTries = 6;

/** The stored data contradicts itself, so that a write cannot succeed. */
export class Inconsistent extends Error {
  constructor(where: readonly string[]) {
    super(
      `What is stored in ${[...new Set(where)].join(', ')} does not fit the organization's head: ` +
        'run "npm run admin -- organization verify" to see what is wrong.',
    );
    this.name = 'Inconsistent';
  }
}

/** The organization code is taken. */
export class CodeTaken extends Error {}

/** Builds a change: see `Ledger.write`. */
export type Build<R extends Reading, T> = (write: Write, records: RecordsOf<R>) => T | Promise<T>;

/**
 * Commits the writes of one organization, one after the other. Whatever a write relies on is checked by its
 * own transaction or a serializable read: the order of plain reads guarantees nothing.
 */
export class Writer {
  readonly #table: TableClient;
  readonly #system: System;
  readonly #caller: Caller;
  /** The head after this writer's last write, which saves the next one, as in a batch, reading it. */
  #lastHead: Head | undefined;

  constructor(table: TableClient, system: System, caller: Caller) {
    this.#table = table;
    this.#system = system;
    this.#caller = caller;
  }

  /** As `Ledger.write`. */
  async write<R extends Reading, T>(reading: R, build: Build<R, T>): Promise<T> {
    const { deadline, organization } = this.#caller;
    const counter = this.#table.counterAt(turnKey(organization));
    const contention = new ContentionBackoff({ system: this.#system, deadline }, counter);
    try {
      return await this.#carryOut(contention, reading, build);
    } finally {
      await contention.giveUp();
    }
  }

  async #carryOut<R extends Reading, T>(
    contention: ContentionBackoff,
    reading: R,
    build: Build<R, T>,
  ): Promise<T> {
    const system = this.#system;
    const { deadline, organization } = this.#caller;
    const refs = { change: refsOf(reading.change), check: refsOf(reading.check) };
    const backoff = new Backoff(system, deadline);
    let staleTries = 0;
    let known = this.#lastHead;
    let isRemembered = known !== undefined;
    this.#lastHead = undefined;
    for (let isFirst = true; ; isFirst = false) {
      const began = system.now();
      const [seen, givenUp] = await Promise.all([
        this.#see(refs, known, isFirst),
        contention.isInDoubt ? this.#table.counterAt(turnKey(organization)).givenUp() : 0,
      ]);
      contention.observe(seen.head, { givenUp, ...(!known && { milliseconds: system.now() - began }) });
      known = undefined;
      if (!contention.mayTry(seen.head)) {
        known = await contention.wait(seen.head);
        isRemembered = false;
        continue;
      }
      const checks = seen.checks ?? (await this.#snapshot(refs.check));
      const write = this.#newWrite(seen.head);
      for (const [at, ref] of refs.change.entries()) write.hasRead(ref, seen.changes[at]);
      let result: T;
      try {
        result = await build(write, recordsAt(reading, seen.changes, checks));
      } catch (error) {
        // The remembered head may be out of date: read it, and build again.
        if (!isRemembered || !(error instanceof Failure)) throw error;
        isRemembered = false;
        continue;
      }
      if (write.isEmpty) return result;
      await this.#readLists(write);
      const outcome = await commit(this.#table, write, {
        system,
        deadline,
        withQueue: (head) => contention.withQueueEstimate(head),
      });
      switch (outcome.is) {
        case 'stored':
          contention.onStored();
          this.#lastHead = write.head;
          return result;
        case 'moved':
          // A remembered head says nothing about contention.
          if (!isRemembered) await contention.onMoved(outcome.winner);
          known = outcome.winner;
          break;
        case 'collided':
          await contention.onConflict(seen.head);
          break;
        case 'stale':
          staleTries++;
          if (staleTries === maxStaleTries) throw new Inconsistent(outcome.where);
          // The first retry is immediate: a transaction that was applied late is visible by now.
          if (staleTries > 1) await backoff.wait(undefined);
          break;
      }
      isRemembered = false;
    }
  }

  /** Founds the organization: its first write. @throws CodeTaken if another organization has its code */
  async found<T>(country: string, build: (write: Write) => T): Promise<T> {
    const write = this.#newWrite(unfoundedHead(country));
    const result = build(write);
    // Nothing of the organization is there yet.
    for (const partition of write.listsToRead) write.hasReadList(partition, undefined);
    const system = this.#system;
    const { deadline, organization } = this.#caller;
    const backoff = new Backoff(system, deadline);
    for (;;) {
      const outcome = await commit(this.#table, write, { system, deadline });
      if (outcome.is === 'stored') return result;
      if (outcome.is !== 'collided') throw new CodeTaken(`Organization code ${organization} is taken`);
      // Another founding with this code is under way, which may still fail.
      await backoff.wait(undefined);
    }
  }

  /**
   * Reads what a write is built on, all at once, and the head unless it is known. The records to check are
   * read with the head by one serializable read. If a transaction holds one of them, they are read later,
   * when it is this writer's turn.
   */
  async #see(
    refs: { change: readonly RecordRef[]; check: readonly RecordRef[] },
    known: Head | undefined,
    withChecks: boolean,
  ): Promise<Seen> {
    const reading = Promise.all(refs.change.map((ref) => this.#table.get(this.#keyOf(ref))));
    const atHead = known === undefined ? [headKey(this.#caller.organization)] : [];
    const keys = [...atHead, ...refs.check.map((ref) => this.#keyOf(ref))];
    if (refs.check.length === 0 || !withChecks) {
      const [head, changes] = await Promise.all([known ?? this.#head(), reading]);
      return { head, changes, checks: refs.check.length === 0 ? [] : undefined };
    }
    const [snapshot, changes] = await Promise.all([this.#table.snapshot(keys), reading]);
    if (snapshot === undefined) return { head: known ?? (await this.#head()), changes, checks: undefined };
    const checks = snapshot.slice(atHead.length);
    return { head: known ?? parseHead(snapshot[0]), changes, checks };
  }

  /**
   * A serializable read of records, retried while transactions hold them. It is at least as new as the head.
   */
  async #snapshot(refs: readonly RecordRef[]): Promise<(Item | undefined)[]> {
    const backoff = new Backoff(this.#system, this.#caller.deadline);
    for (;;) {
      const items = await this.#table.snapshot(refs.map((ref) => this.#keyOf(ref)));
      if (items) return items;
      await backoff.wait(undefined);
    }
  }

  /** Reads the state items of lists. The transaction checks them. */
  async #readLists(write: PendingWrite): Promise<void> {
    const read = async (partition: string) => {
      write.hasReadList(partition, await this.#table.get(stateKey(partition)));
    };
    await Promise.all(write.listsToRead.map(read));
  }

  async #head(): Promise<Head> {
    return parseHead(await this.#table.get(headKey(this.#caller.organization)));
  }

  #keyOf({ collection, number }: RecordRef) {
    return recordKey(this.#caller.organization, collection.name, number);
  }

  #newWrite(head: Head): PendingWrite {
    const now = new Date(this.#system.now()).toISOString();
    return new PendingWrite(this.#table.name, this.#caller, head, now);
  }
}
