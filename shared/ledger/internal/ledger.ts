import type { Item } from './attributes.ts';
import type { RecordRef, RecordOf } from './collection.ts';
import { commit } from './commit.ts';
import { parseHead, unfoundedHead, type Head } from './head.ts';
import { headKey, turnKey } from './keys.ts';
import { Reader } from './reader.ts';
import { Backoff } from './retry.ts';
import { parseRecord } from './stored-record.ts';
import { ContentionBackoff } from './contention-backoff.ts';
import { Write } from './write.ts';
import { Failure } from '../../core/failure.ts';

type RecordRefs = Record<string, RecordRef>;

/** The records that a write reads. */
interface Reading {
  /** Those that it changes: the transaction proves that each is what was read. */
  change?: RecordRefs;
  /** Those that it only looks at: read as of a moment after the head was, so that its version vouches for them. */
  check?: RecordRefs;
}

/** The records at some places; undefined where there is none. */
type RecordsAt<P extends RecordRefs> = {
  [Name in keyof P]: RecordOf<NonNullable<P[Name]>['collection']> | undefined;
};

/** All that a write reads, by name. */
type RecordsOf<R extends Reading> = (R extends { change: infer C extends RecordRefs }
  ? RecordsAt<C>
  : unknown) &
  (R extends { check: infer L extends RecordRefs } ? RecordsAt<L> : unknown);

/** What a write is built on. */
interface Seen {
  head: Head;
  changes: (Item | undefined)[];
  /** None where they were not read, since a transaction was on its way. */
  checks: (Item | undefined)[] | undefined;
}

/** How often a write is tried on records that are not what was read, though the head is. */
const maxStaleTries = 6;

/** What is stored contradicts itself, so that a write can never be stored. */
export class Inconsistent extends Error {
  constructor(where: readonly string[]) {
    super(
      `What is stored in ${[...new Set(where)].join(', ')} does not fit the organization's head: ` +
        'run "npm run admin -- organization verify" to see what is wrong.',
    );
    this.name = 'Inconsistent';
  }
}

/** The organization code that `found` was given belongs to another organization already. */
export class CodeTaken extends Error {}

/**
 * One organization's ledger, as one caller may use it. Every write is one transaction that advances the
 * organization's head, so writes of one organization happen one after the other and never in part.
 *
 * What a write relies on, its own transaction or a serializable read proves; the order of plain reads proves nothing.
 */
export class Ledger extends Reader {
  /** The head as this ledger's last write left it: the next one, as of a batch, need not read it. */
  #lastHead: Head | undefined;

  /**
   * Changes the organization. `build` gets the records it names, and collects the change; what it returns is returned
   * once the change is stored, or at once where it changes nothing. It runs again, on newer records, whenever another
   * writer was faster, so it must have no effect of its own. A record to `change` may be older than the head, or newer: a
   * change on top of it is then refused by the transaction, and built anew.
   *
   * @throws Failure `conflict` when a claimed value is taken; Failure `unavailable` when the deadline came first, with
   * nothing written; Failure `internal` when it came before a reply; whatever `build` throws, with nothing written.
   */
  async write<R extends Reading, T>(
    reading: R,
    build: (write: Write, records: RecordsOf<R>) => T | Promise<T>,
  ): Promise<T> {
    const { system } = this;
    const { deadline, organization } = this.caller;
    const contention = new ContentionBackoff(
      { system, deadline },
      this.table.counterAt(turnKey(organization)),
    );
    try {
      return await this.#carryOut(contention, reading, build);
    } finally {
      await contention.giveUp();
    }
  }

  async #carryOut<R extends Reading, T>(
    contention: ContentionBackoff,
    reading: R,
    build: (write: Write, records: RecordsOf<R>) => T | Promise<T>,
  ): Promise<T> {
    const { system } = this;
    const { deadline, organization } = this.caller;
    const places = { change: Object.values(reading.change ?? {}), check: Object.values(reading.check ?? {}) };
    const backoff = new Backoff(system, deadline);
    let staleTries = 0;
    let known = this.#lastHead;
    let isRemembered = known !== undefined;
    this.#lastHead = undefined;
    for (let isFirst = true; ; isFirst = false) {
      const began = system.now();
      const [seen, givenUp] = await Promise.all([
        this.#see(places, known, isFirst),
        contention.isInDoubt ? this.table.counterAt(turnKey(organization)).givenUp() : 0,
      ]);
      contention.observe(seen.head, { givenUp, ...(!known && { milliseconds: system.now() - began }) });
      known = undefined;
      if (!contention.mayTry(seen.head)) {
        known = await contention.wait(seen.head);
        isRemembered = false;
        continue;
      }
      const checks = seen.checks ?? (await this.#snapshot(places.check));
      const write = this.#newWrite(seen.head);
      for (const [at, item] of seen.changes.entries()) {
        const ref = places.change[at];
        if (ref && item) write.hasRead(ref, item);
      }
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
      const outcome = await commit(this.table, write, {
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
          // One that was merely remembered says nothing of other writers at this moment.
          if (!isRemembered) await contention.onMoved(outcome.winner);
          known = outcome.winner;
          break;
        case 'collided':
          await contention.onConflict(seen.head);
          break;
        case 'stale':
          staleTries++;
          if (staleTries === maxStaleTries) throw new Inconsistent(outcome.where);
          // At once, at first: what was applied late is there by now.
          if (staleTries > 1) await backoff.wait(undefined);
          break;
      }
      isRemembered = false;
    }
  }

  /** Founds the organization: its first write. @throws CodeTaken when its code is another organization's. */
  async found<T>(country: string, build: (write: Write) => T): Promise<T> {
    const write = this.#newWrite(unfoundedHead(country));
    const result = build(write);
    const { system } = this;
    const { deadline, organization } = this.caller;
    const backoff = new Backoff(system, deadline);
    for (;;) {
      const outcome = await commit(this.table, write, { system, deadline });
      if (outcome.is === 'stored') return result;
      if (outcome.is !== 'collided') throw new CodeTaken(`Organization code ${organization} is taken`);
      // With whoever founds an organization of this same code: that may still fail.
      await backoff.wait(undefined);
    }
  }

  /**
   * Reads what a write is built on: all at once, the head too where it is not known. The records to check are a snapshot,
   * with the head; where a transaction is on its way to one of them, they are left for when this writer is next.
   */
  async #see(
    places: { change: readonly RecordRef[]; check: readonly RecordRef[] },
    known: Head | undefined,
    withChecks: boolean,
  ): Promise<Seen> {
    const reading = Promise.all(places.change.map((ref) => this.table.get(this.keyOf(ref))));
    const atHead = known === undefined ? [headKey(this.caller.organization)] : [];
    const keys = [...atHead, ...places.check.map((ref) => this.keyOf(ref))];
    if (places.check.length === 0 || !withChecks) {
      const [head, changes] = await Promise.all([known ?? this.head(), reading]);
      return { head, changes, checks: places.check.length === 0 ? [] : undefined };
    }
    const [snapshot, changes] = await Promise.all([this.table.snapshot(keys), reading]);
    if (snapshot === undefined) return { head: known ?? (await this.head()), changes, checks: undefined };
    const checks = snapshot.slice(atHead.length);
    return { head: known ?? parseHead(snapshot[0]), changes, checks };
  }

  /** Records as they are at one moment from now on: whatever the head of before shows, they show too. */
  async #snapshot(places: readonly RecordRef[]): Promise<(Item | undefined)[]> {
    const backoff = new Backoff(this.system, this.caller.deadline);
    for (;;) {
      const items = await this.table.snapshot(places.map((ref) => this.keyOf(ref)));
      if (items) return items;
      await backoff.wait(undefined);
    }
  }

  #newWrite(head: Head): Write {
    return new Write(this.table.name, this.caller, head, new Date(this.system.now()).toISOString());
  }
}

function recordsAt<R extends Reading>(
  reading: R,
  changes: readonly (Item | undefined)[],
  checks: readonly (Item | undefined)[],
): RecordsOf<R>;
function recordsAt(
  { change = {}, check = {} }: Reading,
  changes: readonly (Item | undefined)[],
  checks: readonly (Item | undefined)[],
): unknown {
  const parsed = (places: RecordRefs, items: readonly (Item | undefined)[]) =>
    Object.entries(places).map(([name, { collection }], at): [string, unknown] => {
      const item = items[at];
      return [name, item && parseRecord(collection, item)];
    });
  return Object.fromEntries([...parsed(change, changes), ...parsed(check, checks)]);
}
