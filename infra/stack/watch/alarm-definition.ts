import { Duration } from 'aws-cdk-lib/core';
import {
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
  type AlarmProps,
  type IMetric,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { LogQuery } from './queries.ts';

/** Headings of docs/operations.md that say what to do about an alarm. */
export const alarmHeadings = [
  'ServerErrors',
  'LeadsFail',
  'UnloggedErrors',
  'LockedOut',
  'TooManyRequests',
  'NoTraffic',
  'SlowAnswers',
  'RefusedWrites',
  'WriteUnits',
  'Concurrency',
  'Throttled',
  'RefusedKeys',
  'TextsFail',
  'DisabledWebhooks',
  'LostTexts',
  'CertificateEnds',
  'DeadLetters',
  'Stuck',
  'Unread',
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

export const fiveMinutes = Duration.minutes(5);

/**
 * Value of a metric, 0 without data. FILL is needed because CloudWatch evaluates earlier periods again if no
 * data follows the last value. CloudWatch would report that value again as long as these periods include it.
 *
 * AWS does not say whether FILL gives zeros or nothing for a metric that has no data at all, such as a metric
 * that never existed. Nothing is `notBreaching`, so both give the state OK. If an alarm adds such a metric to
 * another metric, a missing value counts as 0 in both cases. test/support/metrics/alarms.ts compares the two.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
export const filled = (name: string, metric: Metric, label: string, period = fiveMinutes) =>
  new MathExpression({ expression: `FILL(${name}, 0)`, usingMetrics: { [name]: metric }, period, label });

export const atLeast = (threshold: number): AlarmDefinition['fires'] => ({
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  threshold,
});
export const above = (threshold: number): AlarmDefinition['fires'] => ({
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  threshold,
});
export const below = (threshold: number): AlarmDefinition['fires'] => ({
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  threshold,
});

export const pointTo = ({ title }: LogQuery) => `Look at the table "${title}" of the dashboard`;

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
