import { Duration } from 'aws-cdk-lib/core';
import { MathExpression, Stats, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { failures } from '../../../shared/contract/errors.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import {
  above,
  atLeast,
  below,
  filled,
  fiveMinutes,
  pointTo,
  type AlarmDefinition,
} from './alarm-definition.ts';
import { runsOf, type StageMetrics } from './metrics.ts';
import { queries } from './queries.ts';

/** Alarms about the requests of all clients. */
export function apiAlarms(metrics: StageMetrics): AlarmDefinition[] {
  return [
    {
      heading: 'ServerErrors',
      breaks:
        'At least 1 % of requests fail in a function: clients get a 500 or an incomplete answer, and do not know whether ' +
        'their change was stored.',
      first: pointTo(queries.lastErrors),
      // One or two failures should wake nobody, however few requests there are. FILL: see `filled`. The
      // divisor is not the number of all requests: 401, 404 and 429 reach no function, come in any number,
      // and would hide failures. Each served request counts once, by its time. Each token that the authorizer
      // grants adds one a minute.
      metric: new MathExpression({
        expression: 'IF(failed >= 3, 100 * failed / (failed + FILL(served, 0)), 0)',
        usingMetrics: {
          failed: new MathExpression({
            expression: 'FILL(errors, 0) + FILL(hidden, 0)',
            usingMetrics: {
              errors: metrics.ofAccessLog('internalErrors'),
              hidden: metrics.ofFunctions('hiddenErrors'),
            },
            period: fiveMinutes,
          }),
          served: metrics.ofFunctions('milliseconds', Stats.SAMPLE_COUNT),
        },
        period: fiveMinutes,
        label: 'Failed, %',
      }),
      fires: atLeast(1),
    },
    {
      heading: 'UnloggedErrors',
      breaks:
        'For a quarter of an hour, most answers of 500 and above are in no log. Either the access log receives no lines, and ' +
        'ServerErrors is blind, or API Gateway itself fails.',
      first: 'See whether the access log has lines',
      // The alarm needs half of the answers and three periods, because lines of log arrive later than API
      // Gateway's own metrics.
      metric: new MathExpression({
        expression: 'IF(FILL(all, 0) >= 3, 100 * (all - logged) / all, 0)',
        usingMetrics: {
          all: metrics.ofApi('5XXError'),
          // API Gateway answers 500 for each of its own failures: gateway-responses.ts. Functions also answer
          // 502 and 503.
          logged: new MathExpression({
            expression: 'FILL(internal, 0) + FILL(undelivered, 0) + FILL(unavailable, 0)',
            usingMetrics: {
              internal: metrics.ofAccessLog('internalErrors'),
              undelivered: metrics.answers(failures.undelivered.status),
              unavailable: metrics.answers(failures.unavailable.status),
            },
            period: fiveMinutes,
          }),
        },
        period: fiveMinutes,
        label: 'In no log, % of answers of 500 and above',
      }),
      fires: atLeast(50),
      periods: 3,
    },
    {
      heading: 'LockedOut',
      breaks:
        'For a quarter of an hour, the authorizer has refused the tokens of at least 90 % of the requests that need one. ' +
        'Clients are locked out, for example after a wrong deployment.',
      first: pointTo(queries.refused),
      // Pages without a token do not count: somebody always reads them. Both numbers are from the access log, so
      // that they have the same delay. Each of three periods must have this many requests. So a scanner that
      // comes by while there are no clients fires nothing.
      metric: new MathExpression({
        expression: 'IF(FILL(requests, 0) >= 20, 100 * FILL(refused, 0) / requests, 0)',
        usingMetrics: {
          requests: metrics.ofAccessLog('tokenRequests'),
          refused: metrics.ofAccessLog('refusedTokens'),
        },
        period: fiveMinutes,
        label: 'Refused tokens, %',
      }),
      fires: atLeast(90),
      periods: 3,
    },
    {
      heading: 'TooManyRequests',
      breaks:
        'Within five minutes, API Gateway has refused 10 or more requests, because an operation or the account gets more than ' +
        'its rate allows: clients get a 429.',
      first: pointTo(queries.refused),
      metric: filled(
        'throttled',
        metrics.ofAccessLog('throttledRequests'),
        'Refused by a rate of API Gateway',
      ),
      fires: atLeast(10),
    },
    {
      heading: 'SlowAnswers',
      breaks:
        'For a quarter of an hour, the slowest 1 % of answers, or of token checks, has taken more than 3 seconds: callers ' +
        'wait or give up.',
      first: pointTo(queries.latency),
      metric: metrics.ofFunctions('milliseconds', 'p99').with({ period: fiveMinutes }),
      fires: above(3000),
      periods: 3,
    },
    {
      heading: 'RefusedWrites',
      breaks:
        'Requests get a 503, or items of batches are left undone, because there was no time for them. Nothing of them is ' +
        'stored: clients must send them again.',
      first: pointTo(queries.contention),
      metric: filled('refusals', metrics.ofFunctions('refusals'), 'Refused for lack of time'),
      fires: atLeast(5),
    },
  ];
}

/**
 * Alarm for leads that cannot come in. ServerErrors is a share of all requests, and these are few among
 * them. API Gateway also answers for a function that crashes, so the access log has its requests.
 */
export function leadAlarm(metrics: StageMetrics, workers: readonly BackgroundWorker[]): AlarmDefinition {
  const failing: Record<string, Metric> = { requests: metrics.ofAccessLog('failedLeads') };
  for (const [at, { functionName }] of workers.entries())
    failing[`runs${at}`] = runsOf(functionName, 'Errors');
  return {
    heading: 'LeadsFail',
    breaks:
      'Within an hour, 3 or more requests that bring leads in failed, such as forms, calls and new leads, or runs for incoming ' +
      'SMS. Leads may be lost.',
    first:
      'Look at the graph of serverErrors by operation, and for functions that crashed at the table ' +
      `"${queries.refused.title}" of the dashboard`,
    metric: new MathExpression({
      expression: Object.keys(failing)
        .map((name) => `FILL(${name}, 0)`)
        .join(' + '),
      usingMetrics: failing,
      period: Duration.hours(1),
      label: 'Failed requests and runs',
    }),
    fires: atLeast(3),
  };
}

/**
 * Alarm for a stage that serves nothing. The alarm counts what functions served, and tokens that were
 * granted: a refused scanner is no traffic.
 */
export const trafficAlarm = (metrics: StageMetrics, hours: number): AlarmDefinition => ({
  heading: 'NoTraffic',
  breaks: `No request has been served for ${hours} hours, so clients may not reach the API.`,
  first: 'Send a request to the address that clients use',
  metric: filled(
    'served',
    metrics.ofFunctions('milliseconds', Stats.SAMPLE_COUNT),
    'Served',
    Duration.hours(1),
  ),
  fires: below(1),
  periods: hours,
  firesWithoutData: true,
});

export const keyAlarm = (blocked: Metric): AlarmDefinition => ({
  heading: 'RefusedKeys',
  breaks:
    "A website's key exceeds its rate limit, from many addresses: its forms are refused, and leads may be lost.",
  first: 'Find out which organization has the key',
  metric: filled('blocked', blocked, 'Refused by the rate of a key'),
  fires: atLeast(1),
});
