/** A shortest and a longest time, in milliseconds. */
export type Span = readonly [min: number, max: number];

/** What can go wrong with a call. */
export type Fault =
  'throttled' | 'requestLost' | 'requestDelayed' | 'replyLost' | 'errorBefore' | 'errorAfter';

/** How quick the simulated DynamoDB is, and what goes wrong how often. Times are in milliseconds. */
export interface Behaviour {
  /** From the sender to DynamoDB, and the same back. */
  network: Span;
  /** A plain read on the server. A query or batch reads its portions at moments spread over this time. */
  read: Span;
  /** How likely an eventually consistent read of an item is served by a copy of the table that is behind. */
  staleReadChance: number;
  /** How far such a copy is behind. */
  staleness: Span;
  /** TransactGetItems on the server: from the first look at every item to the end of the second. */
  transactRead: Span;
  /** UpdateItem on the server. */
  update: Span;
  /** TransactWriteItems, from its arrival to the decision. */
  prepare: Span;
  /** The first part of the time of `prepare`, 0 to 1, in which every item is held, each at a moment of its own. */
  preparedWithin: number;
  /** From the decision of a transaction until one item of it is applied. */
  apply: Span;
  /** How likely it is, per item, that applying it takes until `lateApply` instead. */
  lateApplyChance: number;
  /** The longest that a late item takes: between the longest of `apply` and this. */
  lateApply: number;
  /** How much later than the table an index shows an item. */
  indexLag: Span;
  /** How likely it is, per item and index, that this takes until `lateIndex` instead. */
  lateIndexChance: number;
  lateIndex: number;
  /** How likely it is, per key, that a BatchGetItem leaves it for another call. */
  unprocessedChance: number;
  /** How long a sender waits for a reply before it gives up with a TimeoutError. */
  senderTimeout: number;
  /** How late a delayed request arrives. */
  requestDelay: Span;
  /** How likely a lost request or reply shows itself by a TimeoutError, and not by a reset connection. */
  timeoutChance: number;
  /**
   * How likely each fault is, per call; together at most 1.
   * - `throttled`: refused before it is looked at.
   * - `requestLost`: never arrives; the sender gets ECONNRESET soon, or a TimeoutError.
   * - `requestDelayed`: arrives so late that the sender has given up; its effect happens all the same.
   * - `replyLost`: carried out; the sender gets ECONNRESET or a TimeoutError.
   * - `errorBefore`, `errorAfter`: an InternalServerError, nothing carried out or all of it.
   */
  faults: Record<Fault, number>;
}

/** As measured from a Lambda function in the table's region, where anybody has published it; with no faults. */
export const defaultBehaviour: Behaviour = {
  network: [0.6, 1.2],
  read: [0.2, 0.6],
  staleReadChance: 0.3,
  staleness: [0, 50],
  transactRead: [1.5, 3],
  update: [2, 3],
  prepare: [3, 5],
  preparedWithin: 0.6,
  apply: [1, 3],
  lateApplyChance: 0.01,
  lateApply: 60,
  indexLag: [1, 20],
  lateIndexChance: 0.01,
  lateIndex: 300,
  unprocessedChance: 0,
  senderTimeout: 2000,
  requestDelay: [2000, 8000],
  timeoutChance: 0.5,
  faults: {
    throttled: 0,
    requestLost: 0,
    requestDelayed: 0,
    replyLost: 0,
    errorBefore: 0,
    errorAfter: 0,
  },
};

/** Draws what chance decides, all from one source, so that a seed repeats a run. */
export class Chance {
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  /** A time between the two. */
  within([min, max]: Span): number {
    return min + this.random() * (max - min);
  }

  /** Whether something this likely happens. What never happens draws nothing. */
  happens(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  /** One of a list's places. */
  indexIn(list: { readonly length: number }): number {
    return Math.floor(this.random() * list.length);
  }

  /** A copy in an order of chance. */
  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let at = copy.length - 1; at > 0; at--) {
      const other = Math.floor(this.random() * (at + 1));
      [copy[at], copy[other]] = [copy[other]!, copy[at]!];
    }
    return copy;
  }
}
