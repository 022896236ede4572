import { everyFault, faultNames, type Behaviour, type Fault } from '../behaviour.ts';
import type { Draw } from './draw.ts';

export interface Conditions {
  /** Start in epoch milliseconds, sometimes shortly before midnight in the organizations' time zones. */
  startsAt: number;
  organizations: number;
  /** Maximum number of requests served at once. */
  environments: number;
  /** A number of clients that send one request after another, or a rate of random requests. */
  clients: { count: number; pause: number } | { perSecond: number };
  operators: number;
  /** Number of calls to DynamoDB. */
  calls: number;
  hotness: number;
  variety: number;
  /** Maximum clock error in milliseconds. */
  skew: number;
  /** Probability that an invocation dies. */
  deaths: number;
  /** Probability that the SMS provider does not accept an SMS at once. */
  smsTroubles: number;
  /** Probability of a duplicate in the worker's queue, maximum delay, and visibility timeout. */
  queue: { troubles: number; delay: number; visibility: number };
  behaviour: Partial<Behaviour>;
  /**
   * True if items and indexes are late by seconds and coordinators die. A read of several items tries for a while to
   * see one version. The delays are longer.
   */
  isSlow: boolean;
  /** True if a request may get a 5xx. */
  allowsServerErrors: boolean;
  /** Names of plans that are frequent. */
  frequent: readonly string[];
}

const lostReplies: readonly Fault[] = ['replyLost', 'errorAfter'];

const faultSets: readonly (readonly Fault[])[] = [
  ['throttled'],
  lostReplies,
  ['requestDelayed'],
  ['requestLost', 'errorBefore'],
  faultNames,
];

/** Maximum lag of an index in milliseconds. Readers wait for about 350 ms. */
const longestIndexLag = 250;

/** Behaviour of a table that is slow. */
const slow = {
  lateApplyChance: 0.02,
  lateApply: 5000,
  coordinatorDeathChance: 0.01,
  indexLag: [1, 100],
  lateIndexChance: 0.2,
  lateIndex: 2000,
} satisfies Partial<Behaviour>;

/**
 * Start times: an evening in Sydney, and shortly before midnight there, in Auckland and in UTC. Keys and
 * replies are counted per day of UTC.
 */
const evenings = [9, 11, 13, 24].map((hour) => Date.UTC(2026, 0, 5, hour));

/** Random conditions. `losesReplies` is for breakages that show only after a lost reply. */
export function someConditions(draw: Draw, losesReplies: boolean): Conditions {
  const rate = losesReplies ? 0.03 : draw.happens(0.35) ? 0 : draw.pick([0.002, 0.01, 0.03]);
  const faults = Object.fromEntries(
    (rate === 0 ? [] : losesReplies ? lostReplies : draw.pick(faultSets)).map((fault) => [
      fault,
      rate * draw.between(0.3, 1),
    ]),
  ) as Partial<Record<Fault, number>>;
  const deaths = draw.happens(0.5) ? 0 : draw.pick([0.005, 0.02, 0.1]);
  const environments = draw.whole(2, draw.happens(0.2) ? 40 : 14);
  const isClosed = draw.happens(0.6);
  const lateApplyChance = draw.pick([0, 0.01, 0.05]);
  const isSlow = draw.happens(0.2);
  return {
    startsAt: draw.pick(evenings) - draw.whole(0, 20_000),
    organizations: draw.whole(2, 4),
    environments,
    clients: isClosed
      ? { count: draw.whole(2, 2 * environments), pause: draw.pick([0, 5, 50, 200]) }
      : { perSecond: draw.pick([20, 60, 120]) },
    operators: draw.whole(2, 5),
    calls: draw.whole(3_000, 12_000),
    hotness: draw.pick([0.1, 0.4, 0.8]),
    variety: draw.pick([5, 40, 400]),
    skew: draw.pick([0, 20, 2000]),
    deaths,
    smsTroubles: draw.pick([0, 0.1, 0.5]),
    queue: {
      troubles: draw.pick([0, 0.05, 0.2]),
      delay: draw.pick([30, 2000]),
      // With the second value, messages are delivered again while the first delivery is still processed.
      visibility: draw.pick([200, 5000, 40_000]),
    },
    behaviour: {
      faults: { ...everyFault(0), ...faults },
      staleReadChance: draw.pick([0, 0.3]),
      staleness: [0, 100],
      unprocessedChance: rate === 0 ? 0 : draw.pick([0, 0.1]),
      lateApplyChance,
      lateApply: 60,
      indexLag: draw.pick([
        [0, 1],
        [1, 20],
      ]),
      lateIndexChance: draw.pick([0, 0.01, 0.05]),
      lateIndex: longestIndexLag,
      ...(isSlow && slow),
    },
    isSlow,
    allowsServerErrors: isSlow || rate > 0 || deaths > 0,
    frequent: [],
  };
}
