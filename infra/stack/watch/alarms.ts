import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
  type AlarmProps,
  type IMetric,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { failures } from '../../../shared/contract/errors.ts';
import type { Worker } from '../../../shared/contract/worker.ts';
import { camel, pascal } from '../../functions.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import type { StageSettings } from '../settings-schema.ts';
import type { Stage } from '../stage.ts';
import {
  messagesIn,
  ofAccount,
  oldestIn,
  recordAgeOf,
  runsOf,
  StageMetrics,
  writeUnitsOf,
} from './metrics.ts';
import { queries, type LogQuery } from './queries.ts';

/** Headings of docs/operations.md that say what to do about an alarm. */
export const alarmHeadings = [
  'ServerErrors',
  'UnloggedErrors',
  'LockedOut',
  'NoTraffic',
  'SlowAnswers',
  'RefusedWrites',
  'WriteUnits',
  'Concurrency',
  'Throttled',
  'RefusedKeys',
  'TextsFail',
  'DisabledWebhooks',
  'DeadLetters',
  'Stuck',
] as const;

export interface AlarmDefinition {
  /** Name of the alarm. The heading if undefined. */
  name?: string;
  heading: (typeof alarmHeadings)[number];
  /** Sentence: what breaks for whom. */
  breaks: string;
  /** Sentence without its end: what to do first. */
  first: string;
  metric: IMetric;
  fires: Pick<AlarmProps, 'comparisonOperator' | 'threshold'>;
  /** Number of periods in a row. One if undefined. */
  periods?: number;
  /** True if the alarm also fires without data. */
  firesWithoutData?: boolean;
}

const fiveMinutes = Duration.minutes(5);

/**
 * Value of a metric, 0 without data. FILL is needed because CloudWatch evaluates earlier periods again if no
 * data follows the last value. CloudWatch would report that value again as long as these periods include it.
 *
 * AWS does not say whether FILL gives zeros or nothing for a metric that has no data at all, such as a metric
 * that never existed. Nothing is `notBreaching`, so both give the state OK. If an alarm adds such a metric to
 * another metric, a missing value counts as 0 in both cases. test/support/alarms.ts compares the two.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
const filled = (name: string, metric: Metric, label: string, period = fiveMinutes) =>
  new MathExpression({ expression: `FILL(${name}, 0)`, usingMetrics: { [name]: metric }, period, label });

const atLeast = (threshold: number): AlarmDefinition['fires'] => ({
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  threshold,
});
const above = (threshold: number): AlarmDefinition['fires'] => ({
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  threshold,
});
const below = (threshold: number): AlarmDefinition['fires'] => ({
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  threshold,
});

const pointTo = ({ title }: LogQuery) => `Look at the table "${title}" of the dashboard`;

/**
 * Lists every alarm of a stage. Most faults fire one alarm. An error of ours is a 500. A write that the
 * ledger has no time for is a 503. An SMS that the provider refuses is a 502. Three faults fire more than
 * one:
 *
 * - Lambda that throttles functions of the API: 500, if that is 1 % of their calls. If the account's
 *   concurrency is used up, another alarm fired before.
 * - A table that is throttled for longer than API Gateway caches tokens: 503 for cached tokens, and 500 of
 *   the authorizer for the others.
 * - A worker that fails for long: it leaves dead letters, and then is stuck.
 */
export const alarmsOf = ({ stage, settings, workers, blockedByKey }: Props): AlarmDefinition[] => {
  const metrics = new StageMetrics(stage);
  return [
    ...apiAlarms(metrics),
    ...(settings.alarmAfterHoursWithoutTraffic > 0 ? [trafficAlarm(metrics, settings)] : []),
    writeUnitAlarm(settings),
    ...lambdaAlarms(settings),
    ...(blockedByKey ? [keyAlarm(blockedByKey)] : []),
    ...(settings.sms ? [smsAlarm(metrics)] : []),
    ...(workers.some(({ worker }) => worker.uses === 'webhooks') ? [webhookAlarm(metrics)] : []),
    ...workers.flatMap(workerAlarms),
  ];
};

export type AlarmSettings = Pick<
  StageSettings,
  'tableName' | 'sms' | 'maxWriteRequestUnits' | 'accountConcurrency' | 'alarmAfterHoursWithoutTraffic'
>;

interface Props {
  stage: Stage;
  settings: AlarmSettings;
  workers: readonly BackgroundWorker[];
  blockedByKey: Metric | undefined;
}

function apiAlarms(metrics: StageMetrics): AlarmDefinition[] {
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
            usingMetrics: { errors: metrics.internalErrors(), hidden: metrics.ofFunctions('hiddenErrors') },
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
              internal: metrics.internalErrors(),
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
        'For a quarter of an hour, every request has been refused with a 4xx, such as 401, 403 or 404. Clients may be locked ' +
        'out, for example after a wrong deployment.',
      first: pointTo(queries.refused),
      // All kinds of 4xx, because they are one metric of API Gateway: another source would have other delays.
      // The samples of the metric are all requests. Each of three periods must have this many requests. So a
      // scanner that comes by while there are no clients fires nothing.
      // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
      metric: new MathExpression({
        expression: 'IF(FILL(requests, 0) >= 20, 100 * refused / requests, 0)',
        usingMetrics: {
          requests: metrics.ofApi('4XXError', Stats.SAMPLE_COUNT),
          refused: metrics.ofApi('4XXError'),
        },
        period: fiveMinutes,
        label: 'Refused, %',
      }),
      fires: atLeast(100),
      periods: 3,
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
 * Alarm for a stage that serves nothing. The alarm counts what functions served, and tokens that were
 * granted: a refused scanner is no traffic.
 */
const trafficAlarm = (
  metrics: StageMetrics,
  { alarmAfterHoursWithoutTraffic: hours }: AlarmSettings,
): AlarmDefinition => ({
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

/** Percentage of a limit at which an alarm fires. */
const muchOfLimit = 80;

const writeUnitAlarm = ({ tableName, maxWriteRequestUnits }: AlarmSettings): AlarmDefinition => ({
  heading: 'WriteUnits',
  breaks:
    `For five minutes, writes have taken ${muchOfLimit} % of the table's limit. Such traffic is expensive, and requests beyond ` +
    'the limit get a 503.',
  first: pointTo(queries.cost),
  metric: filled('units', writeUnitsOf(tableName), 'Write units of the table'),
  fires: atLeast((muchOfLimit / 100) * maxWriteRequestUnits * fiveMinutes.toSeconds()),
});

/**
 * Alarms for the concurrency of the account, which functions of other stacks use up, too. The quota is a
 * setting: Lambda is not among the services that metric math's SERVICE_QUOTA knows.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Quotas-Visualize-Alarms.html
 */
const lambdaAlarms = ({ accountConcurrency }: AlarmSettings): AlarmDefinition[] => [
  {
    heading: 'Concurrency',
    breaks:
      `Functions and reservations have taken ${muchOfLimit} % of the ${accountConcurrency} invocations that the account may run ` +
      'at once. Requests beyond the limit get a 500.',
    first: 'Find out what runs so often',
    metric: filled('claimed', ofAccount('ClaimedAccountConcurrency'), 'Concurrency of the account'),
    fires: atLeast((muchOfLimit / 100) * accountConcurrency),
  },
  {
    heading: 'Throttled',
    breaks:
      'Within five minutes, Lambda has refused 3 or more invocations in the account: requests get a 500, and workers wait.',
    first: 'Find out which functions are throttled',
    metric: filled('throttled', ofAccount('Throttles'), 'Invocations that Lambda refused'),
    fires: atLeast(3),
  },
];

const keyAlarm = (blocked: Metric): AlarmDefinition => ({
  heading: 'RefusedKeys',
  breaks:
    "A website's key exceeds its rate limit, from many addresses: its forms are refused, and leads may be lost.",
  first: 'Find out which organization has the key',
  metric: filled('blocked', blocked, 'Refused by the rate of a key'),
  fires: atLeast(1),
});

const smsAlarm = (metrics: StageMetrics): AlarmDefinition => ({
  heading: 'TextsFail',
  breaks:
    'Within an hour, 3 or more text messages failed: the provider refused them, could not be reached or gave no answer, or ' +
    'SMS is not set up. Leads do not get their messages.',
  first: pointTo(queries.lastErrors),
  // Counted by their status, which no other failure has. Each reason is a separate metric, and a reason that
  // never occurred has no metric, so a sum of the reasons could be missing.
  metric: filled(
    'failed',
    metrics.answers(failures.undelivered.status),
    'Texts that failed',
    Duration.hours(1),
  ),
  fires: atLeast(3),
});

const webhookAlarm = (metrics: StageMetrics): AlarmDefinition => ({
  heading: 'DisabledWebhooks',
  breaks:
    'A webhook was disabled, because its receiver failed or its token ended: another system no longer gets changes.',
  first: 'Find out which organization has the webhook',
  metric: filled('disabled', metrics.ofFunctions('disabledWebhooks'), 'Webhooks disabled'),
  fires: atLeast(1),
});

function workerAlarms(background: BackgroundWorker): AlarmDefinition[] {
  const { worker, deadLetters } = background;
  const deadLetterAlarm: AlarmDefinition = {
    name: `${prefixOf(worker)}DeadLetters`,
    heading: 'DeadLetters',
    breaks: worker.breaks,
    first: `The worker ${worker.name} gave up on events, so read what is among its dead letters`,
    metric: messagesIn(deadLetters.queueName).with({ period: fiveMinutes }),
    fires: atLeast(1),
  };
  return [deadLetterAlarm, ...stuckAlarm(background)];
}

/** Alarm for a queue or a stream that is not read, or a schedule that does not run. */
function stuckAlarm({ worker, functionName, queue }: BackgroundWorker): AlarmDefinition[] {
  const common = { name: `${prefixOf(worker)}Stuck`, heading: 'Stuck', breaks: worker.breaks } as const;
  if (queue) {
    return [
      {
        ...common,
        first: `The worker ${worker.name} has left messages in its queue for 15 minutes, so look at what calls it`,
        metric: oldestIn(queue.queueName).with({ period: fiveMinutes }),
        fires: above(15 * 60),
      },
    ];
  }
  if ('stream' in worker.on) {
    return [
      {
        ...common,
        first: `The worker ${worker.name} is 15 minutes behind, so look at its last runs`,
        metric: recordAgeOf(functionName).with({ period: fiveMinutes }),
        fires: above(15 * 60 * 1000),
      },
    ];
  }
  if (!('schedule' in worker.on)) return [];
  const { everyMinutes } = worker.on.schedule;
  return [
    {
      ...common,
      first: `The worker ${worker.name} has not succeeded for ${3 * everyMinutes} minutes, so look at its last runs`,
      // Three periods of one interval, and FILL: if data is missing, CloudWatch looks back further than the
      // periods of an alarm. The alarm would then notice a stopped schedule only after as many periods more.
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
      metric: new MathExpression({
        expression: 'FILL(runs, 0) - FILL(errors, 0)',
        usingMetrics: { runs: runsOf(functionName, 'Invocations'), errors: runsOf(functionName, 'Errors') },
        period: Duration.minutes(everyMinutes),
        label: 'Runs that succeeded',
      }),
      fires: below(1),
      periods: 3,
      firesWithoutData: true,
    },
  ];
}

const prefixOf = ({ name }: Worker) => pascal(camel(name));

/** Properties of an alarm. The name has the stage, so that nobody confuses the emails of two stages. */
export function alarmProps(
  prefix: string,
  {
    heading,
    name = heading,
    breaks,
    first,
    metric,
    fires,
    periods = 1,
    firesWithoutData = false,
  }: AlarmDefinition,
): AlarmProps {
  return {
    alarmName: `${prefix}${name}`,
    alarmDescription: `${breaks} ${first}: docs/operations.md, ${heading}.`,
    metric,
    ...fires,
    evaluationPeriods: periods,
    treatMissingData: firesWithoutData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  };
}
