import type { Contracts } from '../../infra/functions.ts';
import { dollarsFor, prices, type Price } from '../../infra/prices.ts';
import { failureReasons, failures } from '../../shared/contract/errors.ts';
import { accessPatterns } from '../../infra/stack/watch/access-metrics.ts';
import { keepWarmWorker } from '../../shared/contract/keep-warm.ts';
import type { FailureKind } from '../../shared/core/failure.ts';
import { metrics } from '../../shared/http/metrics.ts';
import { assumed } from './assumptions.ts';
import { logDollars, otherCalls, timeDollars, totalOf } from './price.ts';

/** Resources of a stage, whatever its traffic. cost.full.test.ts counts them in the template. */
export const ofStage = {
  /** Metrics that alarms read, each counted once for each reading alarm. */
  alarmMetrics: 40,
  dashboards: 1,
  /** Rules of the stack's own web ACL. The group of managed rules counts as one. */
  webAclRules: 7,
  /** Queues that trigger a worker, and the FIFO queues among them. */
  queues: 2,
  fifoQueues: 1,
  /** Keys of KMS, which encrypt the secrets of webhooks and of keys. */
  keys: 1,
} as const;

/**
 * Number of metrics that log lines make: each value of a dimension is a metric. Metrics by operation are left
 * out: they exist only in an hour when an operation fails.
 */
export function customMetrics({ operations }: Pick<Contracts, 'operations'>): {
  idle: number;
  usual: number;
  most: number;
} {
  const ofAccessLog = Object.keys(accessPatterns([])).length;
  const plain = Object.values(metrics).filter((metric) => !('by' in metric)).length + ofAccessLog;
  const statuses = new Set([
    ...operations.flatMap(({ endpoint: { responses, cache } }) => [
      ...Object.keys(responses),
      ...(cache ? ['304'] : []),
    ]),
    ...functionFailures.map((kind) => String(failures[kind].status)),
  ]);
  const texts = ['SENT', ...failureReasons];
  return { idle: 1, usual: plain + usualStatuses + 1, most: plain + statuses.size + texts.length };
}

/**
 * Failures that functions answer. API Gateway answers the others: an invalid token, and too many requests.
 */
const functionFailures = (Object.keys(failures) as FailureKind[]).filter(
  (kind) => kind !== 'unauthorized' && kind !== 'throttled',
);

/** 200, 201, 400, 404 and 409. */
const usualStatuses = 5;

/** Line of a month's bill. */
export interface FixedCost {
  what: string;
  count: number;
  dollars: number;
  /** Undefined if the cost is always there. Otherwise: a stage in use, or only if the rest of the row is true. */
  when?: 'used' | 'possible';
}

export function fixedCosts(contracts: Pick<Contracts, 'operations'>): FixedCost[] {
  const { cloudWatch, kms, lambda, sqs, waf } = prices;
  const { idle, usual, most } = customMetrics(contracts);
  const { alarmMetrics, dashboards, webAclRules, queues, fifoQueues, keys } = ofStage;
  const minutes = assumed.daysInMonth * 24 * 60;
  const polls = Math.round((assumed.emptyQueue.pollers * minutes * 60) / assumed.emptyQueue.seconds);
  const runs = minutes / 5;
  const warmUps = (100 * minutes) / keepWarmWorker.on.schedule.everyMinutes;
  const { warmUpMilliseconds, logBytes } = assumed;
  const warmUp =
    dollarsFor(lambda.requests, 1) + timeDollars(warmUpMilliseconds) + logDollars(logBytes.warmUp);
  const line = (what: string, price: Price, count: number, when?: FixedCost['when']): FixedCost => ({
    what,
    count,
    dollars: dollarsFor(price, count),
    ...(when && { when }),
  });
  return [
    line('Metrics that alarms read', cloudWatch.alarms, alarmMetrics),
    line('Dashboard', cloudWatch.dashboards, dashboards),
    line('Metrics of the logs of an idle stage: what its worker reads', cloudWatch.customMetrics, idle),
    line('… and more on a usual day', cloudWatch.customMetrics, usual - idle, 'used'),
    line(
      '… and more, with every status and outcome in every hour',
      cloudWatch.customMetrics,
      most - usual,
      'possible',
    ),
    line('Web ACL of the stack (`prod`)', waf.webAcls, 1),
    line('… and its rules', waf.rules, webAclRules),
    line('Key of secrets', kms.keys, keys),
    line('Polls of the empty queue of `receive-texts`', sqs.requests, (queues - fifoQueues) * polls),
    line('… and of the mapping of `send-webhooks`', sqs.fifoRequests, fifoQueues * polls),
    {
      what: 'Runs of `resolve-sending`, with nothing to do',
      count: Math.round(runs),
      dollars: runs * totalOf(otherCalls.idleWorker[1].parts),
    },
    {
      what: 'Calls that keep 100 functions warm (`keepWarm`, as in `prod`)',
      count: warmUps,
      dollars: warmUps * warmUp,
      when: 'possible',
    },
  ];
}

/** Sum of the costs of an idle stage, or of a stage on a usual day. */
export const sumWhen = (costs: readonly FixedCost[], when: 'idle' | 'used') =>
  costs.reduce((sum, cost) => sum + (cost.when === undefined || cost.when === when ? cost.dollars : 0), 0);
