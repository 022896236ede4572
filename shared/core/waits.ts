import { unavailable, unknownOutcome } from './failure.ts';
import type { System } from './system.ts';

/** Time limits of calls to AWS and of the function that sends them, in milliseconds. */
export const timeLimits = {
  /** Reserved at the end of a function's time to finish the last call and to answer. */
  answer: 1500,
  /**
   * Time that a call may run past the deadline, if it began before: a write that is cut off has an unknown
   * outcome. Less than half of `answer`.
   */
  lastCall: 700,
  /** Time that a write may still need to arrive after its sender has given it up. */
  lateWrite: 10_000,
  /** Limit for opening a connection. */
  connect: 1000,
  /** Limit from a request to the end of its reply. */
  reply: 2000,
  /** Limit for the first call of a starting function. */
  warmUp: 300,
  /** Limit for a call that keeps a function warm: longer than an endpoint may run. */
  warmUpCall: 20_000,
  /** Limit for the note that a token is used: the request waits for it, and goes on without it. */
  noteUse: 300,
  /** Limit for an attempt to post to a webhook's receiver, from the lookup of its name to the end of its answer. */
  webhookAttempt: 15_000,
  /** Limit for the rest of a receiver's answer after its headers, which decide. */
  webhookAnswer: 1000,
  /** Limit for all reads about a call that rings: a caller waits, and a platform asks once. */
  ringing: 700,
  /** Limit for a call of the API by a tool of an agent: its function has to answer, too. */
  agentCall: 13_000,
  /** Time after which an unused connection to a receiver is closed. */
  webhookIdle: 10_000,
} as const;

/** An exponential wait with jitter, in milliseconds. */
interface RetryWait {
  /** Longest wait after the first try; it doubles with each further try. */
  first: number;
  /** Longest wait after any try. */
  max: number;
  /** Share of the longest wait that is always waited; the rest is random. 0 is full jitter. */
  fixedShare?: number;
  /** Further milliseconds, always added. */
  extra?: number;
}

/** The waits between the tries of one operation. */
export const retryWaits = {
  /**
   * Used after a call to DynamoDB that was throttled, met another transaction, or got no reply. A conflict on the head waits
   * in the writer queue instead.
   */
  call: { first: 10, max: 1280 },
  /**
   * Used after a read that does not agree with the head: an index trails, or a transaction is being applied.
   */
  inconsistentRead: { first: 5, max: 80, fixedShare: 0.5 },
  /** Used after `verify` met a transaction: about the time of a few transactions. */
  verifiedSnapshot: { first: 2, max: 40, extra: 1 },
  /** Used while an erasure waits for a webhook that may be sending the erased data. */
  lease: { first: 20, max: 500, fixedShare: 0.5 },
  /** Used while an export waits for an instant when nothing changes. */
  exportedSnapshot: { first: 2, max: 250 },
} as const satisfies Record<string, RetryWait>;

/**
 * Milliseconds before each further read of a record that is older than the head says. Most are there at once.
 */
export const lateRecordWaits = [0, 1, 2, 4, 8, 16, 32] as const;

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** The waits and limits of webhooks, in milliseconds. */
export const webhookWaits = {
  /**
   * Waits after each failed attempt in turn. The last wait also follows all further attempts. Receivers rely on these
   * waits.
   */
  retries: [
    5 * second,
    5 * minute,
    30 * minute,
    ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  ],
  /**
   * Longest share that chance adds to each wait except the first, so that receivers that failed together are not tried
   * again together.
   */
  jitter: 0.1,
  /** Longest wait that a receiver can ask for by `Retry-After`. */
  retryAfter: 24 * hour,
  /** Time of failure after which a webhook is disabled. */
  failing: 120 * hour,
  /** Time until the sweeper looks at a cursor without another due time. */
  check: 15 * minute,
  /** Interval of the sweeper. */
  sweep: minute,
  /** Maximum time for reading, storing and handing over, besides the attempt. */
  room: 5 * second,
} as const;

/** Milliseconds to wait after the try with this number, counted from 1. */
export function waitAfter(
  { first, max, fixedShare = 0, extra = 0 }: RetryWait,
  tries: number,
  { random }: Pick<System, 'random'>,
): number {
  const longest = Math.min(max, first * 2 ** (tries - 1));
  return extra + longest * (fixedShare + (1 - fixedShare) * random());
}

/** Waits between the tries of one call, and gives up at the deadline. */
export class Backoff {
  readonly #system: System;
  readonly #deadline: number;
  #tries = 0;

  /** `deadline`: epoch milliseconds. */
  constructor(system: System, deadline: number) {
    this.#system = system;
    this.#deadline = deadline;
  }

  /**
   * Waits before the next try. `cause` is the error of the last try; `mayBeStored` is true if a write was
   * sent and its outcome is unknown.
   *
   * @throws Failure `unavailable` if the deadline leaves no time: nothing was written; `internal` if
   * `mayBeStored`
   */
  async wait(cause: unknown, { mayBeStored = false } = {}): Promise<void> {
    const wait = waitAfter(retryWaits.call, ++this.#tries, this.#system);
    if (this.#system.now() + wait >= this.#deadline) {
      throw mayBeStored ? unknownOutcome(cause) : unavailable(cause);
    }
    await this.#system.sleep(wait);
  }
}
