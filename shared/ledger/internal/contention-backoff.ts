import type { Head } from './head.ts';
import type { System } from '../../core/system.ts';
import { unavailable } from '../../core/failure.ts';

/** For how many writes that did not have to wait the head says on that others may be waiting. */
const quietWrites = 4;
/** For how many writes' time the queue may stand still, for each writer that must be gone for it to. */
const patience = 6;
/** Which part of the time that those before it need a writer waits before it looks again. */
const sleptThrough = 0.8;
/** How often the next in line looks again, in writes' times. */
const lookAgain = 1 / 8;
/** How many round trips a write is taken to need in the queue, until somebody has measured it: too few costs some looks, too many leave the queue standing. */
const guessedRoundTrips = 1.5;
/** Between so many round trips the head's pace is believed: a wrong one must not last. */
const believed = { least: 1, most: 12 };
/** At least so many round trips are a write's time, before anybody is taken to be gone. */
const patientRoundTrips = 4;
/** Within this part of a writer's time it tries in any case, however many seem to be before it; a crowd does not at one moment. */
const lastResort = { least: 0.4, spread: 0.2 };
/** How many collisions double the patience, at most. */
const maxDoublings = 5;
/** The longest that a round trip is thought to take, in milliseconds. */
const longestRoundTrip = 25;
/** How much one writer's measure counts in the pace, and how far it may be from it: a stall is no pace. */
const measure = { weight: 0.25, least: 0.5, most: 1.25 };

/** For how many writes' time the queue stands still before a writer looks whether the next in line has left. */
const doubt = 1.25;

/** The counter of an organization's numbers. */
export interface TurnCounter {
  /** Adds that many to the last number taken, and takes the sum. */
  take: (by: number) => Promise<number>;
  /** Notes that the writer of this number, which had its turn, needs it no more. */
  giveUp: (number: number) => Promise<void>;
  /** The last number that was given up. */
  givenUp: () => Promise<number>;
}

/**
 * The turns of writers that want the same head at the same time. Whoever meets no other writer knows nothing of this.
 *
 * - A writer that was refused, or whose head says that others wait, takes the next number from a counter.
 * - The head carries the last number that was served, and the pace: how long a write takes. A writer waits for about as
 *   long as those before it need, looks again, and tries when it is next. It writes its own number into the head as served.
 * - It says that others may wait where it had to wait itself; the next ones that did not have to let that come to an end.
 * - A writer that has its turn and stores nothing (a conflict, nothing to change) notes its number as given up, beside
 *   the counter; where the queue stands still, those that wait look there.
 * - Where it stands still for several writes' time all the same, the next in line is gone: the one behind it tries, those
 *   further back a little later. Who was passed over takes another number.
 *
 * Numbers order writers, never data: what is stored is right whatever they say.
 */
export class ContentionBackoff {
  readonly #system: System;
  readonly #deadline: number;
  readonly #counter: TurnCounter;
  /** When it tries in any case. */
  readonly #lastResort: number;
  #number: number | undefined;
  /** Whether this writer had its turn when it looked last, and has stored nothing since. */
  #hasTurn = false;
  #hasWaited = false;
  /** The version of the head that another writer had in a transaction, and until when it is thought to. */
  #held: { version: number; until: number } | undefined;
  /** What was served or given up when this writer looked last, and since when that has stood still as far as it saw. */
  #seen: { served: number; since: number } | undefined;
  /** The last number that was given up, as far as this writer knows. */
  #givenUp = 0;
  #standsStill = false;
  /** The quickest round trip that this writer has seen, in milliseconds. */
  #roundTrip = longestRoundTrip;
  /** How long a write took while this writer waited. */
  #measured: number | undefined;
  /** How often it tried out of turn in vain: it is the more patient. */
  #collisions = 0;

  constructor({ system, deadline }: { system: System; deadline: number }, counter: TurnCounter) {
    this.#system = system;
    this.#deadline = deadline;
    this.#counter = counter;
    const { least, spread } = lastResort;
    this.#lastResort = system.now() + (deadline - system.now()) * (least + spread * system.random());
  }

  /** Whether the queue stands still, so that the next look should be at the counter too: who is next may have left. */
  get isInDoubt(): boolean {
    return this.#number !== undefined && this.#standsStill;
  }

  /**
   * Takes note of a head, of how many milliseconds it took to read, where it was read, and of the last number that was
   * given up, where that was read.
   */
  observe(head: Head, { milliseconds, givenUp = 0 }: { milliseconds?: number; givenUp?: number } = {}): void {
    const now = this.#system.now();
    this.#givenUp = Math.max(this.#givenUp, givenUp);
    const served = this.#passed(head);
    if (milliseconds !== undefined) this.#roundTrip = Math.min(this.#roundTrip, Math.max(0.5, milliseconds));
    if (this.#seen && served > this.#seen.served) {
      this.#measured = (now - this.#seen.since) / (served - this.#seen.served);
    }
    this.#standsStill = this.#seen?.served === served && now - this.#seen.since > doubt * this.#paceOf(head);
    if (this.#seen?.served !== served) this.#seen = { served, since: now };
  }

  /** Whether this writer may try on this head, which it has looked at. */
  mayTry(head: Head): boolean {
    this.#hasTurn = this.#isNext(head);
    return this.#hasTurn;
  }

  #isNext(head: Head): boolean {
    if (this.#number === undefined) return (head.queue?.waiting ?? 0) === 0;
    const now = this.#system.now();
    if (this.#held?.version === head.version && now < this.#held.until) return false;
    const before = this.#before(head);
    return before === 0 || (before > 0 && now >= this.#overdueAt(head));
  }

  /** Lets the next one go on, where this writer has its turn and stored nothing. Never throws. */
  async giveUp(): Promise<void> {
    if (!this.#hasTurn || this.#number === undefined) return;
    // Where it fails, the others wait a little longer.
    await this.#counter.giveUp(this.#number).catch(() => undefined);
  }

  /** Takes note that this writer was stored. */
  onStored(): void {
    this.#hasTurn = false;
  }

  /**
   * Takes a number, and returns the head, since hardly any time has passed; or waits for about as long as those before it
   * need, and returns nothing.
   * @throws Failure `unavailable` when the deadline comes first: nothing was written.
   */
  async wait(head: Head): Promise<Head | undefined> {
    if (this.#number === undefined || this.#before(head) < 0) {
      await this.#take(head);
      return head;
    }
    this.#hasWaited = true;
    const pace = this.#paceOf(head);
    const before = this.#before(head);
    const timeLeft = this.#deadline - this.#system.now();
    if (timeLeft <= pace) throw unavailable();
    const pause = before > 1 ? (before - 1) * pace * sleptThrough : pace * lookAgain;
    await this.#system.sleep(Math.min(pause, timeLeft / 2));
    return undefined;
  }

  /** Takes note that another writer was faster, and left this head. */
  async onMoved(head: Head): Promise<void> {
    this.#hasTurn = false;
    if (this.#number === undefined) await this.#take(head);
  }

  /** Takes note that another writer has this head in a transaction, and so that it will be old in a moment. */
  async onConflict(head: Head): Promise<void> {
    const until = this.#system.now() + this.#paceOf(head) * this.#doubled();
    this.#held = { version: head.version, until };
    this.#hasWaited = true;
    this.#collisions++;
    if (this.#seen) this.#seen.since = this.#system.now();
    await this.onMoved(head);
  }

  /** A head as this writer passes it on. */
  withQueueEstimate(head: Head): Head {
    const { queue } = head;
    if (this.#number === undefined) return head;
    const waiting = this.#hasWaited ? quietWrites : Math.max(0, (queue?.waiting ?? 0) - 1);
    const pace = this.#paceOf(head);
    const measured = within(this.#measured ?? pace, {
      least: pace * measure.least,
      most: pace * measure.most,
    });
    const next = pace + (measured - pace) * measure.weight;
    const served = Math.max(servedOf(head), this.#number);
    return { ...head, queue: { ...queue, served, waiting, pace: Math.round(next * 10) / 10 } };
  }

  async #take(head: Head): Promise<void> {
    this.#number = await this.#counter.take(1);
    const behind = this.#passed(head) - this.#number;
    // The counter is older than the head, as after a restore of a part.
    if (behind >= 0) this.#number = await this.#counter.take(behind + 1);
  }

  /** How many have their turn before this writer. */
  #before(head: Head): number {
    return (this.#number ?? 0) - 1 - this.#passed(head);
  }

  /** The last number that need not be waited for. */
  #passed(head: Head): number {
    return Math.max(servedOf(head), this.#givenUp);
  }

  #paceOf({ queue }: Head): number {
    const [least, most] = [this.#roundTrip * believed.least, this.#roundTrip * believed.most];
    return within(queue?.pace ?? this.#roundTrip * guessedRoundTrips, { least, most });
  }

  /** When the queue will have stood still for so long that all before this writer must be gone. */
  #overdueAt(head: Head): number {
    const since = this.#seen?.since ?? this.#system.now();
    const write = Math.max(this.#paceOf(head), this.#roundTrip * patientRoundTrips);
    const patient = patience * this.#before(head) * this.#doubled() * write;
    // Many that died would otherwise lock everybody out: those that come later have more before them, not less.
    return Math.min(since + patient, this.#lastResort);
  }

  #doubled(): number {
    return 2 ** Math.min(this.#collisions, maxDoublings);
  }
}

const servedOf = ({ queue }: Head) => queue?.served ?? 0;

const within = (value: number, { least, most }: { least: number; most: number }) =>
  Math.max(least, Math.min(most, value));
