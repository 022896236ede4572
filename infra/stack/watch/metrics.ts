import type { Stack } from 'aws-cdk-lib';
import { Metric, SearchExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { FailureStatus } from '../../../shared/contract/errors.ts';
import { metrics, type MetricName } from '../../../shared/http/metrics.ts';
import { apiNameOf, stackNameOf, type Stage } from '../stage.ts';

/** What a metric's dimension is, if it has one. */
type DimensionOf<N extends MetricName> = (typeof metrics)[N] extends { by: infer By } ? By : never;
/** The metrics without a dimension. */
export type PlainMetricName = {
  [N in MetricName]: [DimensionOf<N>] extends [never] ? N : never;
}[MetricName];
/** The metrics with one: each value of it is a metric of its own. */
export type DimensionedMetricName = Exclude<MetricName, PlainMetricName>;

/** Answers of 500, counted in the access log: those of functions, and those in the place of one that failed. */
export const internalErrors = 'internalErrors';

/**
 * The metrics of API Gateway that are looked at, by the statistic that AWS says represents each.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 */
const apiMetrics = {
  Count: Stats.SAMPLE_COUNT,
  '4XXError': Stats.SUM,
  '5XXError': Stats.SUM,
  /** From the request's arrival to its answer, in milliseconds. */
  Latency: 'p99',
} as const;

/** The metrics of one stage. CloudWatch names a metric by its namespace, its name and its dimensions. */
export class StageMetrics {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Of the functions' log lines. @param statistic `Sum` unless given */
  ofFunctions(metricName: PlainMetricName, statistic: string = Stats.SUM): Metric {
    return new Metric({ namespace: stackNameOf(this.#stage), metricName, statistic });
  }

  /** Of the functions' log lines: one graph for each value of the dimension that was there in the last two weeks. */
  byDimension(metricName: DimensionedMetricName): SearchExpression {
    const { by } = metrics[metricName];
    return new SearchExpression({
      // What has other characters than letters and digits is quoted:
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
      expression: `SEARCH('{"${stackNameOf(this.#stage)}",${by}} MetricName="${metricName}"', 'Sum', 300)`,
      label: `\${PROP('Dim.${by}')}`,
    });
  }

  /** Answers of a status. */
  answers(status: FailureStatus): Metric {
    return new Metric({
      namespace: stackNameOf(this.#stage),
      metricName: 'answers' satisfies DimensionedMetricName,
      dimensionsMap: { [metrics.answers.by]: String(status) },
      statistic: Stats.SUM,
    });
  }

  internalErrors(): Metric {
    return new Metric({
      namespace: stackNameOf(this.#stage),
      metricName: internalErrors,
      statistic: Stats.SUM,
    });
  }

  ofApi(metricName: keyof typeof apiMetrics): Metric {
    return new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiName: apiNameOf(this.#stage), Stage: this.#stage },
      statistic: apiMetrics[metricName],
    });
  }
}

/** How often a function was called, tries again included, or how often it failed. */
export function runsOf(functionName: string, metricName: 'Invocations' | 'Errors'): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName },
    statistic: Stats.SUM,
  });
}

/** The messages in a queue. */
export const messagesIn = (queueName: string) => ofQueue(queueName, 'ApproximateNumberOfMessagesVisible');

/**
 * For how many seconds the oldest message has been in a queue. One that was received three times or more does not count:
 * it fails, whereas others of the same queue may be done.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export const oldestIn = (queueName: string) => ofQueue(queueName, 'ApproximateAgeOfOldestMessage');

const ofQueue = (QueueName: string, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/SQS',
    metricName,
    dimensionsMap: { QueueName },
    statistic: Stats.MAXIMUM,
  });

/**
 * Metric of what a rule of a web ACL refuses.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html
 */
export const blockedBy = (names: Record<'WebACL' | 'Rule', string>, { region: Region }: Stack): Metric =>
  new Metric({
    namespace: 'AWS/WAFV2',
    metricName: 'BlockedRequests',
    dimensionsMap: { ...names, Region },
    statistic: Stats.SUM,
  });

/** Write units that a table takes by itself: those of its indexes are metrics of their own. */
export const writeUnitsOf = (TableName: string): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: 'ConsumedWriteCapacityUnits',
    dimensionsMap: { TableName },
    statistic: Stats.SUM,
  });
