import type { Head } from './head.ts';
import type { System } from '../../core/system.ts';
import { unavailable } from '../../core/failure.ts';

/** Hands out the queue numbers of an organization. */
export interface QueueCounter {
  /** Adds `by` to the last number, unless the last number is above `max`. `last` is the last number after the call. */
  take: (by: number, max: number) => Promise<{ isTaken: boolean; last: number }>;
  /** Stores that the writer with this number will not write, although it was next. */
  giveUp: (number: number) => Promise<void>;
  /** The last numbers taken and given up. */
  read: () => Promise<{ taken: number; givenUp: number }>;
}

/**
 * Queue for writers of the same head. A writer joins after another writer was faster. If the head says that others
 * wait, a writer joins before its first try.
 *
 * - Number: a writer that joins takes the next number from a counter. The head has the last number served and
 *   the pace (milliseconds per write). Each queued writer updates both.
 * - Full: a writer takes no number if too many writers are ahead, or if they need too much of its time. The writer
 *   waits a little, asks once more, and then fails: if all waited until their deadlines, few could be served in time. If
 *   the queue stands still meanwhile, the queue is dead, not full.
 * - Wait: a writer sleeps for about as long as the writers ahead need, reads the head again, and tries when
 *   it is next.
 * - Give up: a writer that is next and stores nothing (a conflict, nothing to change) stores its number beside the
 *   counter. If the queue stops for another reason, the next in line counts as gone after a while. Then the writer
 *   behind it tries, and the others try a little later. A writer that was passed over takes a new number.
 * - End: a writer that had to wait marks the head as contended. Uncontended writes count that mark down.
 *
 * The numbers decide only who tries first. The conditions of the transaction keep the data right in any
 * order.
 */
export class WriterQueue {
  readonly #system: System;
  readonly #deadline: number;
  readonly #counter: QueueCounter;
  readonly #isFurther: boolean;
  /** Epoch milliseconds after which this writer no longer waits until each of many writers ahead counts as gone. */
  #lastResort: number;
  #number: number | undefined;
  /** The first time that the queue was full for this writer: the last number, and when, in epoch milliseconds. */
  #full: { last: number; since: number } | undefined;
  /** True if this writer has waited for as long as dead writers stop a queue, after the queue was full. */
  #hasWaitedForDead = false;
  /** True if others wait, whatever the head says. */
  #othersWait = false;
  /** True if this writer was next when it last read the head, and it has stored nothing since. */
  #isNextNow = false;
  #hasWaited = false;
  /**
   * The version of the head that another transaction holds. `until`: probable end of that transaction, in epoch
   * milliseconds.
   */
  #held: { version: number; until: number } | undefined;
  /** The last number served or given up. `since`: start of its standstill, in epoch milliseconds. */
  #lastServed: { served: number; since: number } | undefined;
  /** The last number given up that this writer has read. */
  #givenUp = 0;
  #standsStill = false;
  /** Fastest round trip so far, in milliseconds. */
  #roundTrip = maxRoundTrip;
  /** Pace while this writer waited, in milliseconds. */
  #measured: number | undefined;
  /** Number of tries that met another transaction on the head. Each doubles the writer's patience. */
  #collisions = 0;

  /** `isFurther`: true if the function has stored a write before, as a batch has. See `maxWaiting`. */
  constructor(
    { system, deadline, isFurther = false }: { system: System; deadline: number; isFurther?: boolean },
    counter: QueueCounter,
  ) {
    this.#isFurther = isFurther;
    this.#system = system;
    this.#deadline = deadline;
    this.#counter = counter;
    const { min, spread } = lastResort;
    this.#lastResort = system.now() + (deadline - system.now()) * (min + spread * system.random());
  }

  /** True if the queue stands still. Then `look` reads the counter too: the next in line may have given up. */
  get isInDoubt(): boolean {
    return this.#number !== undefined && this.#standsStill;
  }

  /**
   * True if at most one writer is ahead of this one, or if the position is unknown. Otherwise read only the
   * head: other items would be outdated before they are needed.
   */
  get isNearFront(): boolean {
    if (this.#number === undefined || this.#lastServed === undefined) return !this.#othersWait;
    return this.#number - 1 - this.#lastServed.served <= 1;
  }

  /**
   * Waits for a read that has just begun, and takes note of the head. `isHeadRead` is false if the head was known before;
   * `readsCounter` is true if the counter is to tell whether others wait.
   */
  async look<T extends { head: Head }>(
    reading: Promise<T>,
    { isHeadRead = true, readsCounter = this.isInDoubt } = {},
  ): Promise<T> {
    const began = this.#system.now();
    const [seen, counter] = await Promise.all([reading, readsCounter ? this.#counter.read() : undefined]);
    this.observe(seen.head, { ...counter, ...(isHeadRead && { milliseconds: this.#system.now() - began }) });
    return seen;
  }

  /**
   * Takes note of a head. `milliseconds`: duration of its read, if it was read; `taken` and `givenUp`: the last numbers
   * taken and given up, if they were read.
   */
  observe(
    head: Head,
    {
      milliseconds,
      taken = 0,
      givenUp = 0,
    }: { milliseconds?: number; taken?: number; givenUp?: number } = {},
  ): void {
    const now = this.#system.now();
    this.#givenUp = Math.max(this.#givenUp, givenUp);
    const served = this.#passed(head);
    this.#othersWait ||= taken > served;
    if (milliseconds !== undefined) this.#roundTrip = Math.min(this.#roundTrip, Math.max(0.5, milliseconds));
    if (this.#lastServed && served > this.#lastServed.served) {
      this.#measured = (now - this.#lastServed.since) / (served - this.#lastServed.served);
    }
    this.#standsStill =
      this.#lastServed?.served === served &&
      now - this.#lastServed.since > pacesUntilDoubt * this.#paceOf(head);
    if (this.#lastServed?.served !== served) this.#lastServed = { served, since: now };
  }

  /** True if this writer may try now. Call `observe` with this head first. */
  mayTry(head: Head): boolean {
    const now = this.#system.now();
    if (this.#number === undefined) this.#isNextNow = !this.#othersWait && (head.queue?.waiting ?? 0) === 0;
    else if (this.#held?.version === head.version && now < this.#held.until) this.#isNextNow = false;
    else {
      const ahead = this.#ahead(head);
      this.#isNextNow = ahead === 0 || (ahead > 0 && now >= this.#overdueAt(head));
    }
    return this.#isNextNow;
  }

  /** Gives up this writer's number if it is next and has stored nothing. Never throws. */
  async giveUp(): Promise<void> {
    if (!this.#isNextNow || this.#number === undefined) return;
    // If this call fails, the others wait a little longer.
    await this.#counter.giveUp(this.#number).catch(() => undefined);
  }

  onStored(): void {
    this.#isNextNow = false;
  }

  /**
   * Takes a number if this writer has no valid number, and returns the head, which is still new. If the queue is full,
   * waits instead, and returns undefined. With a valid number, sleeps for about as long as the writers ahead need, and
   * returns undefined.
   * @throws Failure `unavailable` if the deadline comes first, or if the queue is full again: nothing was written
   */
  async wait(head: Head): Promise<Head | undefined> {
    if (this.#number === undefined || this.#ahead(head) < 0)
      return (await this.#take(head)) ? head : undefined;
    this.#hasWaited = true;
    const pace = this.#paceOf(head);
    const ahead = this.#ahead(head);
    if (this.#timeLeft <= pace) throw unavailable();
    const usual = ahead > 1 ? (ahead - 1) * pace * sleepShare : pace * nextInLineInterval;
    await this.#pause(Math.max(usual, (this.#system.now() - this.#stillSince) * standstillShare));
    return undefined;
  }

  /** Call it if another writer was faster, and stored this head. Returns the head if it is still new. */
  async onMoved(head: Head): Promise<Head | undefined> {
    this.#isNextNow = false;
    return this.#number !== undefined || (await this.#take(head)) ? head : undefined;
  }

  /** Call it if another transaction holds this head, which will soon be out of date. */
  async onConflict(head: Head): Promise<void> {
    const until = this.#system.now() + this.#paceOf(head) * this.#doubled();
    this.#held = { version: head.version, until };
    this.#hasWaited = true;
    this.#collisions++;
    if (this.#lastServed) this.#lastServed.since = this.#system.now();
    await this.onMoved(head);
  }

  /** The head with the queue's new state. */
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
    const served = Math.max(queue?.served ?? 0, this.#number);
    return { ...head, queue: { ...queue, served, waiting, pace: Math.round(nextPace * 10) / 10 } };
  }

  /**
   * Takes a number and returns true, unless the queue is full. If the queue is full, waits and returns false; if the
   * queue is still full and has moved meanwhile, fails. If the queue has stood still, waits for longer. If nobody has
   * joined the queue by then, all its writers are gone, and this writer takes a number anyway. Of several writers that
   * find a dead queue, only the first takes a number: they would collide.
   */
  async #take(head: Head): Promise<boolean> {
    const passed = this.#passed(head);
    const servedIn = (time: number) => Math.max(1, Math.floor(time / this.#paceOf(head)));
    const room =
      this.#isFurther || this.#number !== undefined
        ? servedIn(this.#timeLeft)
        : Math.min(maxWaiting, servedIn(this.#timeLeft * maxShareAhead));
    const full = passed + room;
    const stoodStill = this.#full !== undefined && this.#stillSince <= this.#full.since;
    const lastOfDead = stoodStill && this.#hasWaitedForDead ? (this.#full?.last ?? 0) : 0;
    let reply = await this.#counter.take(1, Math.max(full - 1, lastOfDead));
    // The counter can be behind the head after a partial restore. One writer moves it up.
    if (reply.isTaken && reply.last <= passed)
      reply = await this.#counter.take(passed + 1 - reply.last, passed);
    if (reply.isTaken) {
      this.#number = reply.last;
      if (reply.last > full) this.#lastResort = 0;
      return true;
    }
    this.#othersWait = true;
    if (!this.#full) {
      this.#full = { last: reply.last, since: this.#system.now() };
      await this.#pause(this.#paceOf(head) * pacesUntilAskedAgain);
    } else {
      if (!stoodStill || this.#hasWaitedForDead) throw unavailable();
      this.#hasWaitedForDead = true;
      await this.#pause(this.#patience(head, maxGoneInRow));
    }
    return false;
  }

  #pause(milliseconds: number): Promise<void> {
    return this.#system.sleep(Math.min(milliseconds, this.#timeLeft / 2));
  }

  /** Epoch milliseconds at the start of the queue's standstill. */
  get #stillSince(): number {
    return this.#lastServed?.since ?? this.#system.now();
  }

  get #timeLeft(): number {
    return this.#deadline - this.#system.now();
  }

  /** Number of writers ahead of this one; negative if it was passed over. */
  #ahead(head: Head): number {
    return (this.#number ?? 0) - 1 - this.#passed(head);
  }

  /** The last number served or given up. */
  #passed(head: Head): number {
    return Math.max(head.queue?.served ?? 0, this.#givenUp);
  }

  #paceOf({ queue }: Head): number {
    const [min, max] = [this.#roundTrip * paceInRoundTrips.min, this.#roundTrip * paceInRoundTrips.max];
    return clamp(queue?.pace ?? this.#roundTrip * guessedRoundTrips, { min, max });
  }

  /** Epoch milliseconds at which all writers ahead count as gone, if the queue does not move until then. */
  #overdueAt(head: Head): number {
    const since = this.#stillSince;
    // Without this limit, many dead writers would lock out all others: later writers have even more dead writers ahead.
    const limit = Math.max(this.#lastResort, since + this.#patience(head, maxGoneInRow));
    return Math.min(since + this.#patience(head, this.#ahead(head)), limit);
  }

  /** Milliseconds without movement after which this number of writers counts as gone. */
  #patience(head: Head, writers: number): number {
    const pace = Math.max(this.#paceOf(head), this.#roundTrip * minRoundTripsUntilGone);
    return pacesUntilGone * writers * this.#doubled() * pace;
  }

  #doubled(): number {
    return 2 ** Math.min(this.#collisions, maxDoublings);
  }
}

/** Number of uncontended writes after which the head no longer says that others may be waiting. */
const writesUntilQuiet = 4;
/** Number of paces per writer ahead: if the queue stands still for so long, those writers are presumed dead. */
const pacesUntilGone = 6;
/** Paces without movement after which a writer checks whether the next in line gave up. */
const pacesUntilDoubt = 1.25;
/** Paces until a writer asks again after the queue was full. By then, a living queue has usually moved. */
const pacesUntilAskedAgain = 4;
/**
 * Number of writers that seldom die in a row. If a queue stands still until so many writers count as gone, the queue is
 * dead.
 */
const maxGoneInRow = 4;
/**
 * Number of writers that wait for one organization. Each keeps its function, and by default an account runs 1,000
 * functions at once. A burst of 100 writers needs 99 places. The other places are for usual writes meanwhile. 150
 * writers wait for 1.6 seconds in the simulation. A further write of the same function, as in a batch, is not refused:
 * the function goes on anyway.
 */
const maxWaiting = 150;
/**
 * Share of a writer's time that the writers ahead may need at the pace. If they need more, the queue is full for this
 * writer. In the simulation the pace is some 60 % of the time that a write takes. So the writers ahead take some 40 %
 * of the writer's time.
 */
const maxShareAhead = 0.25;
/** Share of the estimated wait that a writer sleeps before it reads the head again. */
const sleepShare = 0.8;
/** Paces between the reads of the next in line. */
const nextInLineInterval = 1 / 8;
/**
 * Shortest sleep of a writer, as a share of the time that the queue has stood still. So few reads are spent while a
 * transaction holds the head for seconds.
 */
const standstillShare = 1 / 16;
/** Pace in round trips until a pace is measured. A low pace costs reads; a high pace leaves the queue idle. */
const guessedRoundTrips = 1.5;
/** Bounds of the head's pace in round trips, so that a wrong pace does not last. */
const paceInRoundTrips = { min: 1, max: 12 };
/** Shortest pace, in round trips, that is used to decide that a writer is gone. */
const minRoundTripsUntilGone = 4;
/**
 * Share of a writer's time after which the writer no longer waits until each of many writers ahead counts as gone. The
 * random spread keeps many writers from trying at once.
 */
const lastResort = { min: 0.4, spread: 0.2 };
/** Maximum number of collisions that double a writer's patience. */
const maxDoublings = 5;
/** Longest round trip assumed, in milliseconds. */
const maxRoundTrip = 25;
/**
 * Weight of one measurement of the pace, and its bounds relative to the pace: a stall must not count as a
 * pace.
 */
const measurement = { weight: 0.25, min: 0.5, max: 1.25 };

const clamp = (value: number, { min, max }: { min: number; max: number }) =>
  Math.max(min, Math.min(max, value));
