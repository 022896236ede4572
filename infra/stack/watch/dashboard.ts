import { Aws, Duration } from 'aws-cdk-lib/core';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  LogQueryWidget,
  MathExpression,
  Stats,
  TextWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  type YAxisProps,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { prices } from '../../prices.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import type { StageSettings } from '../settings-schema.ts';
import { logGroupNameOf, stackNameOf } from '../resource-names.ts';
import type { Stage } from '../stage.ts';
import { messagesIn, runsOf, StageMetrics } from './metrics.ts';
import { queries, type LogQuery } from './queries.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'sms'>;
  alarms: IAlarm[];
  workers: readonly BackgroundWorker[];
}

/** Width of a dashboard in columns, as CloudWatch has it. */
const columns = 24;
const third = columns / 3;
const half = columns / 2;

const howToRead = [
  '**Alarms first.** The description of a red one says what breaks, and under which heading of docs/operations.md is what to do. Then the graphs: requests, time and contention, units and texts, workers.',
  `**The tables** below are of the lines of log in the time range above: operations, organizations, single requests. Each look at them scans those logs, which costs $${prices.cloudWatch.logQueries.dollars} a GB.`,
  '**More** is in docs/operations.md. The `requestId` of a line is that of the answer which the client got.',
].join('\n\n');

/** Dashboard of a stage: its alarms, its metrics, and tables of its logs. */
export class StageDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { stage, settings, alarms, workers }: Props) {
    super(scope, id, {
      // Dashboards are global, so the name has the region.
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html
      dashboardName: `${stackNameOf(stage)}-${Aws.REGION}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new TextWidget({ markdown: howToRead, width: columns, height: 4 })],
        [new AlarmStatusWidget({ title: 'Alarms', alarms, width: columns, height: 3 })],
        ...graphsOfRequests(new StageMetrics(stage), settings),
        ...(workers.length > 0 ? [graphsOfWorkers(new StageMetrics(stage), workers)] : []),
        ...tables(stage),
      ],
    });
  }
}

function graphsOfRequests(metrics: StageMetrics, { sms }: Props['settings']): IWidget[][] {
  return [
    [
      graph('Requests', [metrics.ofApi('Count'), metrics.ofApi('4XXError'), metrics.ofApi('5XXError')]),
      graph('Answers by status', [metrics.byDimension('answers')]),
      graph('Errors by operation, 500 and more', [
        metrics.byDimension('serverErrors'),
        metrics.ofAccessLog('internalErrors'),
        metrics.ofFunctions('hiddenErrors'),
      ]),
    ],
    [
      graph(
        'Latency, in milliseconds',
        [
          metrics.ofFunctions('milliseconds', 'p50').with({ label: 'Functions p50' }),
          metrics.ofFunctions('milliseconds', 'p99').with({ label: 'Functions p99' }),
          metrics.ofApi('Latency').with({ label: 'API p99, with authorizer and cold starts' }),
        ],
        { label: 'ms' },
      ),
      graph(
        'Cold starts, % of requests',
        [
          new MathExpression({
            expression: '100 * cold / requests',
            usingMetrics: { cold: metrics.ofFunctions('coldStarts'), requests: metrics.ofApi('Count') },
            label: 'Cold starts, %',
          }),
        ],
        { label: '%' },
      ),
      graph('Contention: transactions sent for each stored write', [
        new MathExpression({
          expression: 'sent / stored',
          usingMetrics: { sent: metrics.ofFunctions('transactions'), stored: metrics.ofFunctions('writes') },
          label: 'Sent for each stored',
        }),
      ]),
    ],
    [
      graph('Units of DynamoDB', [metrics.ofFunctions('readUnits'), metrics.ofFunctions('writeUnits')]),
      graph('Refused for lack of time', [metrics.ofFunctions('refusals')]),
      ...(sms ? [graph('Text messages by outcome', [metrics.byDimension('texts')])] : []),
    ],
  ];
}

function graphsOfWorkers(metrics: StageMetrics, workers: readonly BackgroundWorker[]): IWidget[] {
  const sendsWebhooks = workers.some(({ worker }) => worker.uses === 'webhooks');
  return [
    graph(
      'Dead letters',
      workers.map(({ worker, deadLetters }) =>
        messagesIn(deadLetters.queueName).with({ label: worker.name }),
      ),
    ),
    graph(
      'Runs of workers, and failed runs',
      workers.flatMap(({ worker, functionName }) => [
        runsOf(functionName, 'Invocations').with({ label: worker.name }),
        runsOf(functionName, 'Errors').with({ label: `${worker.name} failed` }),
      ]),
    ),
    ...(sendsWebhooks
      ? [
          graph('Webhooks: what arrived, and what did not', [
            metrics.ofFunctions('deliveries'),
            metrics.ofFunctions('failedAttempts'),
            metrics.ofFunctions('disabledWebhooks'),
          ]),
        ]
      : []),
  ];
}

function tables(stage: Stage): IWidget[][] {
  const table = ({ title, logs, commands }: LogQuery, width = half) =>
    new LogQueryWidget({
      title,
      logGroupNames: logs.map((kind) => logGroupNameOf(stage, kind)),
      queryLines: [...commands],
      width,
      height: 7,
    });
  return [
    [table(queries.lastErrors, columns)],
    [table(queries.latency), table(queries.coldStarts)],
    [table(queries.contention), table(queries.cost)],
    [table(queries.refused, columns)],
  ];
}

/** Graph of five-minute periods, with an axis that starts at 0. */
function graph(
  title: string,
  left: IMetric[],
  { width = third, ...axis }: { width?: number } & Pick<YAxisProps, 'label'> = {},
): GraphWidget {
  return new GraphWidget({
    title,
    left,
    width,
    height: 6,
    period: Duration.minutes(5),
    statistic: Stats.SUM,
    leftYAxis: { min: 0, showUnits: false, ...axis },
  });
}
