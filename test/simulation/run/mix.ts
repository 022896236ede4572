import type { Behaviour, Fault } from '../behaviour.ts';
import type { Draw } from './draw.ts';

/** The conditions of one episode. */
export interface Mix {
  /** When it begins, in epoch milliseconds: now and then shortly before a day ends where the organizations are. */
  startsAt: number;
  organizations: number;
  /** How many requests are served at a time, at most. */
  environments: number;
  /** Clients that ask one thing after the other; or requests that come at random, so many a second. */
  clients: { count: number; pause: number } | { perSecond: number };
  operators: number;
  /** How many calls of DynamoDB it goes on for. */
  calls: number;
  hotness: number;
  variety: number;
  /** How far clocks are off, in milliseconds. */
  skew: number;
  /** How likely an invocation dies on the way. */
  deaths: number;
  /** How likely the provider of SMS does anything but take a text at once. */
  smsTroubles: number;
  /** How likely a message is in the worker's queue twice, how late it comes at most, and when it is given out again. */
  queue: { troubles: number; delay: number; visibility: number };
  behaviour: Partial<Behaviour>;
  /** Whether a request may be answered 5xx. */
  allowsServerErrors: boolean;
}

const lostReplies: readonly Fault[] = ['replyLost', 'errorAfter'];

const faultSets: readonly (readonly Fault[])[] = [
  ['throttled'],
  lostReplies,
  ['requestDelayed'],
  ['requestLost', 'errorBefore'],
  ['throttled', 'requestLost', 'requestDelayed', 'replyLost', 'errorBefore', 'errorAfter'],
];

/** The longest that an index trails here: readers wait for about 0.35 s. */
const longestIndexLag = 250;

/** In Sydney an evening, and the end of a day there, in Auckland and in UTC, by which keys and answers are counted. */
const evenings = [9, 11, 13, 24].map((hour) => Date.UTC(2026, 0, 5, hour));

/** Conditions of chance; where replies must be lost for what is broken to show, they are. */
export function someMixOf(draw: Draw, losesReplies: boolean): Mix {
  const rate = !losesReplies && draw.happens(0.35) ? 0 : draw.pick([0.002, 0.01, 0.03]);
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
  return {
    startsAt: draw.pick(evenings) - draw.whole(0, 20_000),
    organizations: draw.whole(2, 4),
    environments,
    clients: isClosed
      ? { count: draw.whole(2, 2 * environments), pause: draw.pick([0, 5, 50, 200]) }
      : { perSecond: draw.pick([20, 60, 120]) },
    operators: draw.whole(2, 5),
    calls: draw.whole(5_000, 20_000),
    hotness: draw.pick([0.1, 0.4, 0.8]),
    variety: draw.pick([5, 40, 400]),
    skew: draw.pick([0, 20, 2000]),
    deaths,
    smsTroubles: draw.pick([0, 0.1, 0.5]),
    queue: {
      troubles: draw.pick([0, 0.05, 0.2]),
      delay: draw.pick([30, 2000]),
      // The second gives a message out again while the first still works on it.
      visibility: draw.pick([200, 5000, 40_000]),
    },
    behaviour: {
      faults: { ...noFaults, ...faults },
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
    },
    allowsServerErrors: rate > 0 || deaths > 0,
  };
}

/** Nothing goes wrong. */
export const noFaults: Record<Fault, number> = {
  throttled: 0,
  requestLost: 0,
  requestDelayed: 0,
  replyLost: 0,
  errorBefore: 0,
  errorAfter: 0,
};
