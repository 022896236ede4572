import type { Stack } from 'aws-cdk-lib/core';
import { Metric, SearchExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { FailureStatus } from '../../../shared/contract/errors.ts';
import { metrics, type MetricName } from '../../../shared/http/metrics.ts';
import type { AccessMetricName } from './access-metrics.ts';
import { apiNameOf, stackNameOf } from '../resource-names.ts';
import type { Stage } from '../stage.ts';

/** Dimension of a metric, or `never` if it has none. */
type DimensionOf<N extends MetricName> = (typeof metrics)[N] extends { by: infer By } ? By : never;
/** Metrics without a dimension. */
export type PlainMetricName = {
  [N in MetricName]: [DimensionOf<N>] extends [never] ? N : never;
}[MetricName];
/** Metrics with a dimension: each value of the dimension is a separate metric. */
export type DimensionedMetricName = Exclude<MetricName, PlainMetricName>;

/**
 * Metrics of API Gateway, each with the statistic that AWS recommends.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 */
const apiMetrics = {
  Count: Stats.SAMPLE_COUNT,
  '4XXError': Stats.SUM,
  '5XXError': Stats.SUM,
  /** Milliseconds from the request's arrival to its answer. */
  Latency: 'p99',
} as const;

const metric = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic: string = Stats.SUM,
) => new Metric({ namespace, metricName, dimensionsMap, statistic });

/** Metrics of one stage. CloudWatch identifies a metric by its namespace, its name and its dimensions. */
export class StageMetrics {
  readonly #stage: Stage;
  readonly #namespace: string;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#namespace = stackNameOf(stage);
  }

  /** Metric of the functions' log lines. @param statistic `Sum` if omitted */
  ofFunctions(name: PlainMetricName, statistic?: string): Metric {
    return metric(this.#namespace, name, {}, statistic);
  }

  /** Metrics of the functions' log lines, one graph for each value of the dimension in the last two weeks. */
  byDimension(metricName: DimensionedMetricName): SearchExpression {
    const { by } = metrics[metricName];
    return new SearchExpression({
      // CloudWatch requires quotes around names with other characters than letters and digits:
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
      expression: `SEARCH('{"${this.#namespace}",${by}} MetricName="${metricName}"', 'Sum', 300)`,
      label: `\${PROP('Dim.${by}')}`,
    });
  }

  /** Number of answers with a status. */
  answers(status: FailureStatus): Metric {
    const name: DimensionedMetricName = 'answers';
    return metric(this.#namespace, name, { [metrics.answers.by]: String(status) });
  }

  /** Number of lines of the access log. */
  ofAccessLog(name: AccessMetricName): Metric {
    return metric(this.#namespace, name, {});
  }

  /** Metric of API Gateway. @param statistic AWS's recommended statistic if omitted */
  ofApi(name: keyof typeof apiMetrics, statistic: string = apiMetrics[name]): Metric {
    const dimensions = { ApiName: apiNameOf(this.#stage), Stage: this.#stage };
    return metric('AWS/ApiGateway', name, dimensions, statistic);
  }
}

/** Number of invocations of a function, retries included, or of failed invocations. */
export const runsOf = (FunctionName: string, name: 'Invocations' | 'Errors'): Metric =>
  metric('AWS/Lambda', name, { FunctionName });

/**
 * Metric of Lambda over all functions of the account in the region. The metric is the concurrency that is not
 * left for others, reservations included, or the number of invocations that were refused for lack of it.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html
 */
export const ofAccount = (name: 'ClaimedAccountConcurrency' | 'Throttles'): Metric =>
  metric('AWS/Lambda', name, {}, name === 'Throttles' ? Stats.SUM : Stats.MAXIMUM);

/** Age of the oldest record of a stream that a function is given, in milliseconds. */
export const recordAgeOf = (FunctionName: string): Metric =>
  metric('AWS/Lambda', 'IteratorAge', { FunctionName }, Stats.MAXIMUM);

/**
 * Number of polls of a mapping that reads a stream. Lambda sends the metric for an empty poll, too, and for none
 * while the mapping is disabled.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics
 */
export const pollsOf = (EventSourceMappingUUID: string): Metric =>
  metric('AWS/Lambda', 'PolledEventCount', { EventSourceMappingUUID }, Stats.SAMPLE_COUNT);

/**
 * Number of messages that were published to a topic, or that reached a subscriber.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
 */
export const messagesOf = (
  TopicName: string,
  name: 'NumberOfMessagesPublished' | 'NumberOfNotificationsDelivered',
): Metric => metric('AWS/SNS', name, { TopicName });

/**
 * Days until a certificate ends, sent twice a day.
 * https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html
 */
export const daysToEndOf = (CertificateArn: string): Metric =>
  metric('AWS/CertificateManager', 'DaysToExpiry', { CertificateArn }, Stats.MINIMUM);

/** Number of messages in a queue. */
export const messagesIn = (QueueName: string): Metric =>
  metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }, Stats.MAXIMUM);

/**
 * Age of the oldest message in a queue, in seconds. SQS does not count a message that was received three
 * times or more: that message fails, while others of the queue may succeed.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export const oldestIn = (QueueName: string): Metric =>
  metric('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }, Stats.MAXIMUM);

/**
 * Number of requests that a rule of a web ACL blocks.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html
 */
export const blockedBy = (names: Record<'WebACL' | 'Rule', string>, { region: Region }: Stack): Metric =>
  metric('AWS/WAFV2', 'BlockedRequests', { ...names, Region });

/** Write units of a table, without its indexes, which have their own metrics. */
export const writeUnitsOf = (TableName: string): Metric =>
  metric('AWS/DynamoDB', 'ConsumedWriteCapacityUnits', { TableName });
