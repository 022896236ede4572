import type { Head } from './head.ts';
import type { System } from '../../core/system.ts';
import { unavailable } from '../../core/failure.ts';

/** After this many uncontended writes the head no longer says that others may be waiting. */
const writesUntilQuiet = 4;
/** A writer counts as gone once the queue has stood still for this many paces (write times) per writer. */
const pacesUntilGone = 6;
/** Once the queue has stood still for this many paces, a writer checks whether the next in line gave up. */
const pacesUntilDoubt = 1.25;
/** How much of the estimated wait a writer sleeps before it reads the head again. */
const sleepShare = 0.8;
/** How often the next in line reads the head again, in paces. */
const nextInLineInterval = 1 / 8;
/** The pace in round trips until one is measured. Too low costs reads, too high leaves the queue idle. */
const guessedRoundTrips = 1.5;
/** The head's pace is clamped to these round trips, so that a wrong one does not last. */
const paceInRoundTrips = { min: 1, max: 12 };
/** The shortest pace, in round trips, by which a writer is taken to be gone. */
const minRoundTripsUntilGone = 4;
/** After this share of its time a writer tries, however many are ahead. The spread keeps a crowd apart. */
const lastResort = { min: 0.4, spread: 0.2 };
/** How many collisions double a writer's patience, at most. */
const maxDoublings = 5;
/** The longest round trip assumed, in milliseconds. */
const maxRoundTrip = 25;
/** How much one measurement changes the pace, and how far it may deviate from it: a stall is no pace. */
const measurement = { weight: 0.25, min: 0.5, max: 1.25 };

/** Hands out an organization's queue numbers. */
export interface QueueCounter {
  /** Adds `by` to the last number taken, and takes the sum. */
  take: (by: number) => Promise<number>;
  /** Notes that the writer with this number, whose turn it was, will not write. */
  giveUp: (number: number) => Promise<void>;
  /** The last number that was given up. */
  givenUp: () => Promise<number>;
}

/**
 * A queue for writers that lose the optimistic lock on the same head. Writers that never collide do not use
 * it.
 *
 * - Numbers: a writer that was refused, or whose head says that others wait, takes the next number from a
 *   counter. The head holds the last number served and the pace (milliseconds per write), which each queued
 *   writer updates.
 * - Waiting: a writer sleeps for about as long as those ahead need, reads the head again, and tries when it
 *   is next.
 * - Leaving: a writer whose turn it is and that stores nothing (a conflict, nothing to change) notes its
 *   number as given up, beside the counter. If the queue stands still all the same, the next in line counts
 *   as gone: the one behind it tries, the others a little later. A writer that was passed over takes a new
 *   number.
 * - Ending: a writer that had to wait marks the head as contended; uncontended writes count that mark down.
 *
 * Numbers order writers, never data: what is stored is right whatever they say.
 */
export class ContentionBackoff {
  readonly #system: System;
  readonly #deadline: number;
  readonly #counter: QueueCounter;
  /** When it tries in any case, in epoch milliseconds. */
  readonly #lastResort: number;
  #number: number | undefined;
  /** Whether it was this writer's turn at its last look, and it has stored nothing since. */
  #hasTurn = false;
  #hasWaited = false;
  /** The version of the head that another transaction holds, and until when it probably does. */
  #held: { version: number; until: number } | undefined;
  /** The last number served or given up at the last look, and since when it has not moved. */
  #seen: { served: number; since: number } | undefined;
  /** The last number that was given up, as far as this writer knows. */
  #givenUp = 0;
  #standsStill = false;
  /** The fastest round trip so far, in milliseconds. */
  #roundTrip = maxRoundTrip;
  /** The pace while this writer waited, in milliseconds. */
  #measured: number | undefined;
  /** How often another transaction held the head when it tried; each doubles its patience. */
  #collisions = 0;

  constructor({ system, deadline }: { system: System; deadline: number }, counter: QueueCounter) {
    this.#system = system;
    this.#deadline = deadline;
    this.#counter = counter;
    const { min, spread } = lastResort;
    this.#lastResort = system.now() + (deadline - system.now()) * (min + spread * system.random());
  }

  /** Whether the queue stands still. If so, read the counter too: the next in line may have given up. */
  get isInDoubt(): boolean {
    return this.#number !== undefined && this.#standsStill;
  }

  /**
   * Whether it may be this writer's turn by the next head. If not, read the head alone: what else was read would be out of
   * date before it is needed.
   */
  get isNearFront(): boolean {
    if (this.#number === undefined || this.#seen === undefined) return true;
    return this.#number - 1 - this.#seen.served <= 1;
  }

  /** Notes a head; if it was read, how long that took; and the last number given up, if that was read. */
  observe(head: Head, { milliseconds, givenUp = 0 }: { milliseconds?: number; givenUp?: number } = {}): void {
    const now = this.#system.now();
    this.#givenUp = Math.max(this.#givenUp, givenUp);
    const served = this.#passed(head);
    if (milliseconds !== undefined) this.#roundTrip = Math.min(this.#roundTrip, Math.max(0.5, milliseconds));
    if (this.#seen && served > this.#seen.served) {
      this.#measured = (now - this.#seen.since) / (served - this.#seen.served);
    }
    this.#standsStill =
      this.#seen?.served === served && now - this.#seen.since > pacesUntilDoubt * this.#paceOf(head);
    if (this.#seen?.served !== served) this.#seen = { served, since: now };
  }

  /** Whether this writer may try now. Call `observe` with this head first. */
  mayTry(head: Head): boolean {
    this.#hasTurn = this.#isNext(head);
    return this.#hasTurn;
  }

  #isNext(head: Head): boolean {
    if (this.#number === undefined) return (head.queue?.waiting ?? 0) === 0;
    const now = this.#system.now();
    if (this.#held?.version === head.version && now < this.#held.until) return false;
    const ahead = this.#ahead(head);
    return ahead === 0 || (ahead > 0 && now >= this.#overdueAt(head));
  }

  /** Passes the turn on if this writer has it and stored nothing. Never throws. */
  async giveUp(): Promise<void> {
    if (!this.#hasTurn || this.#number === undefined) return;
    // If it fails, the others wait a little longer.
    await this.#counter.giveUp(this.#number).catch(() => undefined);
  }

  onStored(): void {
    this.#hasTurn = false;
  }

  /**
   * Takes a number if it has none that is valid, and returns the head: hardly any time has passed. Otherwise
   * sleeps for about as long as the writers ahead need, and returns undefined.
   * @throws Failure `unavailable` if the deadline comes first: nothing was written
   */
  async wait(head: Head): Promise<Head | undefined> {
    if (this.#number === undefined || this.#ahead(head) < 0) {
      await this.#take(head);
      return head;
    }
    this.#hasWaited = true;
    const pace = this.#paceOf(head);
    const ahead = this.#ahead(head);
    const timeLeft = this.#deadline - this.#system.now();
    if (timeLeft <= pace) throw unavailable();
    const pause = ahead > 1 ? (ahead - 1) * pace * sleepShare : pace * nextInLineInterval;
    await this.#system.sleep(Math.min(pause, timeLeft / 2));
    return undefined;
  }

  /** Another writer was faster, and left this head. */
  async onMoved(head: Head): Promise<void> {
    this.#hasTurn = false;
    if (this.#number === undefined) await this.#take(head);
  }

  /** Another transaction holds this head, so it will be outdated in a moment. */
  async onConflict(head: Head): Promise<void> {
    const until = this.#system.now() + this.#paceOf(head) * this.#doubled();
    this.#held = { version: head.version, until };
    this.#hasWaited = true;
    this.#collisions++;
    if (this.#seen) this.#seen.since = this.#system.now();
    await this.onMoved(head);
  }

  /** The head with the queue as this writer leaves it. */
  withQueueEstimate(head: Head): Head {
    const { queue } = head;
    if (this.#number === undefined) return head;
    const waiting = this.#hasWaited ? writesUntilQuiet : Math.max(0, (queue?.waiting ?? 0) - 1);
    const pace = this.#paceOf(head);
    const measured = clamp(this.#measured ?? pace, {
      min: pace * measurement.min,
      max: pace * measurement.max,
    });
    const nextPace = pace + (measured - pace) * measurement.weight;
    const served = Math.max(servedOf(head), this.#number);
    return { ...head, queue: { ...queue, served, waiting, pace: Math.round(nextPace * 10) / 10 } };
  }

  async #take(head: Head): Promise<void> {
    this.#number = await this.#counter.take(1);
    const behind = this.#passed(head) - this.#number;
    // The counter is behind the head, as after a partial restore.
    if (behind >= 0) this.#number = await this.#counter.take(behind + 1);
  }

  /** How many writers are ahead of this one; negative if it was passed over. */
  #ahead(head: Head): number {
    return (this.#number ?? 0) - 1 - this.#passed(head);
  }

  /** The last number served or given up. */
  #passed(head: Head): number {
    return Math.max(servedOf(head), this.#givenUp);
  }

  #paceOf({ queue }: Head): number {
    const [min, max] = [this.#roundTrip * paceInRoundTrips.min, this.#roundTrip * paceInRoundTrips.max];
    return clamp(queue?.pace ?? this.#roundTrip * guessedRoundTrips, { min, max });
  }

  /** When all writers ahead count as gone, if the queue does not move until then. */
  #overdueAt(head: Head): number {
    const since = this.#seen?.since ?? this.#system.now();
    const pace = Math.max(this.#paceOf(head), this.#roundTrip * minRoundTripsUntilGone);
    const patience = pacesUntilGone * this.#ahead(head) * this.#doubled() * pace;
    // Otherwise many dead writers would lock everyone out: later writers have even more of them ahead.
    return Math.min(since + patience, this.#lastResort);
  }

  #doubled(): number {
    return 2 ** Math.min(this.#collisions, maxDoublings);
  }
}

const servedOf = ({ queue }: Head) => queue?.served ?? 0;

const clamp = (value: number, { min, max }: { min: number; max: number }) =>
  Math.max(min, Math.min(max, value));
