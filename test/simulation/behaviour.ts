/** Minimum and maximum, in milliseconds. */
export type Span = readonly [min: number, max: number];

export const faultNames = [
  'throttled',
  'requestLost',
  'requestDelayed',
  'replyLost',
  'errorBefore',
  'errorAfter',
] as const;
export type Fault = (typeof faultNames)[number];

/** Every fault with this probability. */
export function everyFault(probability: number): Record<Fault, number> {
  const faults = {
    throttled: 0,
    requestLost: 0,
    requestDelayed: 0,
    replyLost: 0,
    errorBefore: 0,
    errorAfter: 0,
  };
  for (const fault of faultNames) faults[fault] = probability;
  return faults;
}

/** Speed and faults of the simulated DynamoDB. Times are in milliseconds. */
export interface Behaviour {
  /** Time from the sender to DynamoDB; the way back takes as long. */
  network: Span;
  /** Server time of a plain read. A query or batch reads in steps spread over this time. */
  read: Span;
  /** Probability that an eventually consistent read of an item comes from a stale replica. */
  staleReadChance: number;
  /** Lag of that replica. */
  staleness: Span;
  /** Server time of TransactGetItems: from the first read of every item to the end of the second. */
  transactRead: Span;
  /** Server time of an UpdateItem. */
  update: Span;
  /** Time of TransactWriteItems from its arrival to its decision. */
  prepare: Span;
  /** All items are held within this share of `prepare`, 0 to 1, each from its own time on. */
  preparedWithin: number;
  /** Time from the decision of a transaction until one of its items is applied. */
  apply: Span;
  /** Probability per item that applying it takes up to `lateApply` instead. */
  lateApplyChance: number;
  /** Maximum for a late item; its minimum is the maximum of `apply`. */
  lateApply: number;
  /** Probability that the coordinator of a transaction dies, before its decision or while it is applied. */
  coordinatorDeathChance: number;
  /** Time until another coordinator goes on. All items that are not applied are held until then. */
  recovery: Span;
  /** Lag of an index behind the table. */
  indexLag: Span;
  /** Probability per item and index that the lag goes up to `lateIndex` instead. */
  lateIndexChance: number;
  lateIndex: number;
  /** Probability per key that BatchGetItem leaves it unprocessed. */
  unprocessedChance: number;
  /** Time after which a sender gives up with a TimeoutError. */
  senderTimeout: number;
  /** Delay of a delayed request. */
  requestDelay: Span;
  /** Probability that a lost request or reply causes a TimeoutError rather than a reset connection. */
  timeoutChance: number;
  /**
   * Probability of each fault per call; together at most 1.
   * - `throttled`: refused before it is parsed.
   * - `requestLost`: never arrives; the sender gets ECONNRESET soon, or a TimeoutError.
   * - `requestDelayed`: arrives after the sender has given up, and is carried out all the same.
   * - `replyLost`: carried out; the sender gets ECONNRESET or a TimeoutError.
   * - `errorBefore`, `errorAfter`: an InternalServerError, before or after the call is carried out.
   */
  faults: Record<Fault, number>;
}

/**
 * Times as measured from a Lambda function in the table's region, where measurements are published. No
 * faults.
 */
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
  coordinatorDeathChance: 0,
  recovery: [2500, 5000],
  indexLag: [1, 20],
  lateIndexChance: 0.01,
  lateIndex: 300,
  unprocessedChance: 0,
  senderTimeout: 2000,
  requestDelay: [2000, 8000],
  timeoutChance: 0.5,
  faults: everyFault(0),
};

/** Draws everything random from one source, so that a seed repeats a run. */
export class Chance {
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  within([min, max]: Span): number {
    return min + this.random() * (max - min);
  }

  /** True with this probability. A probability of 0 draws nothing. */
  happens(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  /** A random index of a list. */
  indexIn(list: { readonly length: number }): number {
    return Math.floor(this.random() * list.length);
  }

  /** A copy in random order. */
  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let at = copy.length - 1; at > 0; at--) {
      const other = Math.floor(this.random() * (at + 1));
      [copy[at], copy[other]] = [copy[other]!, copy[at]!];
    }
    return copy;
  }
}
