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
import type { StageSettings } from '../stage-settings.ts';
import type { Stage } from '../stage.ts';
import { messagesIn, oldestIn, runsOf, StageMetrics, writeUnitsOf } from './metrics.ts';
import { queries, type LogQuery } from './queries.ts';

/** Headings of docs/operations.md that say what to do about an alarm. */
export const alarmHeadings = [
  'ServerErrors',
  'SlowAnswers',
  'RefusedWrites',
  'WriteUnits',
  'RefusedKeys',
  'TextsFail',
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
 * Sum of a metric, 0 without data. FILL: if no data follows the last sum, CloudWatch evaluates earlier
 * periods again, and would report the same sum again while these periods slide over it.
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
 * Lists every alarm of a stage. Most faults fire one alarm: an error of ours is a 500, a write that the
 * ledger has no time for a 503, an SMS that the provider refuses a 502. Two faults fire a pair:
 *
 * - A table that is throttled for longer than API Gateway caches tokens: 503 for cached tokens, and 500 of
 *   the authorizer for the others.
 * - A worker that fails for long: it leaves dead letters, and then is stuck.
 */
export const alarmsOf = ({ stage, settings, workers, blockedByKey }: Props): AlarmDefinition[] => {
  const metrics = new StageMetrics(stage);
  return [
    ...apiAlarms(metrics),
    writeUnitAlarm(settings),
    ...(blockedByKey ? [keyAlarm(blockedByKey)] : []),
    smsAlarm(metrics),
    ...workers.flatMap(workerAlarms),
  ];
};

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'tableName' | 'maxWriteRequestUnits'>;
  workers: readonly BackgroundWorker[];
  blockedByKey: Metric | undefined;
}

function apiAlarms(metrics: StageMetrics): AlarmDefinition[] {
  return [
    {
      heading: 'ServerErrors',
      breaks:
        'At least 1 % of what functions do fails, answered 500 or left out of an answer: clients do not get what they ask for, and do not know whether it was done.',
      first: pointTo(queries.lastErrors),
      // One or two failures should wake nobody, however few requests there are. FILL: see `filled`. The
      // divisor is not the number of all requests: 401, 404 and 429, which reach no function, come in any
      // number, and would hide failures. Each served request counts once, by its time. Each token that the
      // authorizer grants adds one, which is one a minute.
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
      heading: 'SlowAnswers',
      breaks:
        'For a quarter of an hour, the slowest hundredth of answers, or of checks of tokens, has taken more than 3 seconds, so callers hang or give up.',
      first: pointTo(queries.latency),
      metric: metrics.ofFunctions('milliseconds', 'p99').with({ period: fiveMinutes }),
      fires: above(3000),
      periods: 3,
    },
    {
      heading: 'RefusedWrites',
      breaks:
        'Requests are answered 503, or items of batches left undone, since there was no time for them: nothing of them is stored, and clients must send them again.',
      first: pointTo(queries.contention),
      metric: filled('refusals', metrics.ofFunctions('refusals'), 'Refused for lack of time'),
      fires: atLeast(5),
    },
  ];
}

/** Percentage of the write units at which the alarm fires. */
const muchOfUnits = 80;

const writeUnitAlarm = ({ tableName, maxWriteRequestUnits }: Props['settings']): AlarmDefinition => ({
  heading: 'WriteUnits',
  breaks: `For five minutes, writes have taken ${muchOfUnits} % of what the table may take, so much costs much, and a little more is answered 503.`,
  first: pointTo(queries.cost),
  metric: filled('units', writeUnitsOf(tableName), 'Write units of the table'),
  fires: atLeast((muchOfUnits / 100) * maxWriteRequestUnits * fiveMinutes.toSeconds()),
});

const keyAlarm = (blocked: Metric): AlarmDefinition => ({
  heading: 'RefusedKeys',
  breaks:
    'More comes by a key, from many addresses, than its rate allows, so that visitors of its website are refused and leads may be lost.',
  first: 'Find out whose key it is',
  metric: filled('blocked', blocked, 'Refused by the rate of a key'),
  fires: atLeast(1),
});

const smsAlarm = (metrics: StageMetrics): AlarmDefinition => ({
  heading: 'TextsFail',
  breaks:
    'Within an hour, 3 or more text messages were refused by the provider, did not reach it, got no answer or are not set up, so leads do not get them.',
  first: pointTo(queries.lastErrors),
  // Counted by their status, which no other failure has. Each reason is a metric of its own, and a reason
  // that never occurred has no metric, so that their sum could be missing.
  metric: filled(
    'failed',
    metrics.answers(failures.undelivered.status),
    'Texts that failed',
    Duration.hours(1),
  ),
  fires: atLeast(3),
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

/** Alarm for a queue that is not read, or a schedule that does not run. */
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
  if (!('schedule' in worker.on)) return [];
  const { everyMinutes } = worker.on.schedule;
  return [
    {
      ...common,
      first: `The worker ${worker.name} has not succeeded for ${3 * everyMinutes} minutes, so look at its last runs`,
      // Three periods of one interval, and FILL: if data is missing, CloudWatch looks back further than the
      // periods of an alarm, and would notice a stopped schedule only after as many periods more.
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

/**
 * Properties of an alarm. The name has the stage, so that nobody takes the email of one stage for that of
 * another.
 */
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
