import { LocalError } from '../local-error.ts';
import { parseExpression, type Expression } from './metric-math.ts';
import { statisticOf, type MetricStore, type Statistic } from './metric-store.ts';
import type { Metric } from './metric.ts';
import type { AlarmProperties } from './resources.ts';

/** An alarm of the template, as this machine watches it. */
export interface Alarm {
  name: string;
  /** What it tells people. */
  sentence: string;
  /** How long one data point is, in milliseconds. */
  period: number;
  /** How many data points are judged, and how many of them must breach. */
  evaluationPeriods: number;
  datapointsToAlarm: number;
  isMissingBreaching: boolean;
  /** Whether it is about too little, which a period that has only begun always has. */
  firesOnTooLittle: boolean;
  breaches: (value: number) => boolean;
  metrics: AlarmMetric[];
  expression: Expression;
}

interface AlarmMetric {
  id: string;
  metric: Metric;
  statistic: Statistic;
}

const comparisons: Record<
  AlarmProperties['ComparisonOperator'],
  (value: number, threshold: number) => boolean
> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

/**
 * CloudWatch looks at more data points than it judges, in case that some are missing. It does not say how many, but its
 * examples have five where three are judged.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
const furtherDataPoints = 2;

/** @throws LocalError for an alarm that this machine cannot watch */
export function alarmOf(
  logicalId: string,
  properties: AlarmProperties,
  named: (metric: Metric) => Metric,
): Alarm {
  const { AlarmName: name = logicalId, EvaluationPeriods, ComparisonOperator, Threshold } = properties;
  const { metrics, periods, expression } =
    properties.MetricName === undefined
      ? mathOf(name, properties)
      : singleOf(properties, properties.MetricName);
  const [period, ...others] = new Set(periods);
  if (period === undefined || others.length > 0)
    throw new LocalError(`The local machine cannot watch ${name}: its metrics must have one period`);
  const compare = comparisons[ComparisonOperator];
  const treated = properties.TreatMissingData === 'breaching';
  return {
    name,
    sentence: properties.AlarmDescription,
    period: period * 1000,
    evaluationPeriods: EvaluationPeriods,
    datapointsToAlarm: properties.DatapointsToAlarm ?? EvaluationPeriods,
    isMissingBreaching: treated,
    firesOnTooLittle: treated || ComparisonOperator.startsWith('Less'),
    breaches: (value) => compare(value, Threshold),
    metrics: metrics.map((one) => ({ ...one, metric: named(one.metric) })),
    expression,
  };
}

interface Watched {
  metrics: AlarmMetric[];
  /** In seconds. */
  periods: number[];
  expression: Expression;
}

function singleOf(properties: AlarmProperties, name: string): Watched {
  const { Namespace, Dimensions, Statistic, ExtendedStatistic, Period } = properties;
  const metric = metricOf({ Namespace, MetricName: name, Dimensions });
  return {
    metrics: [{ id: 'm', metric, statistic: statisticOf(Statistic ?? ExtendedStatistic ?? '') }],
    periods: Period === undefined ? [] : [Period],
    expression: parseExpression('m'),
  };
}

function mathOf(name: string, { Metrics }: AlarmProperties): Watched {
  const stats = Metrics.flatMap(({ Id: id, MetricStat }) => (MetricStat ? [{ id, ...MetricStat }] : []));
  const expressions = new Map(
    Metrics.flatMap(({ Id, Expression }) =>
      Expression === undefined ? [] : [[Id, parseExpression(Expression)] as const],
    ),
  );
  const [result, ...others] = Metrics.filter(({ ReturnData }) => ReturnData);
  const ids = new Set(Metrics.map(({ Id }) => Id));
  const unknown = [...expressions.values()].flatMap((one) => one.ids).find((id) => !ids.has(id));
  if (!result || others.length > 0 || unknown !== undefined)
    throw new LocalError(
      `The local machine cannot watch ${name}: ${unknown ?? 'what it returns'} is not one of its metrics`,
    );
  return {
    metrics: stats.map(({ id, Metric, Stat }) => ({
      id,
      metric: metricOf(Metric),
      statistic: statisticOf(Stat),
    })),
    periods: stats.map(({ Period }) => Period),
    expression: within(parseExpression(result.Id), expressions),
  };
}

/** An expression with the others in the place of their ids. */
function within(outer: Expression, others: ReadonlyMap<string, Expression>): Expression {
  return {
    ids: outer.ids,
    evaluate: (valueOf) => {
      const inner = (id: string): number | undefined => {
        const other = others.get(id);
        return other ? other.evaluate(inner) : valueOf(id);
      };
      return outer.evaluate(inner);
    },
  };
}

interface MetricProperties {
  Namespace: string;
  MetricName: string;
  Dimensions: { Name: string; Value: string }[];
}

const metricOf = ({ Namespace, MetricName, Dimensions }: MetricProperties): Metric => ({
  namespace: Namespace,
  name: MetricName,
  dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
});

/** For how long before now an alarm looks at its metrics, in milliseconds. */
export const windowOf = ({ period, evaluationPeriods }: Alarm) =>
  (evaluationPeriods + furtherDataPoints) * period;

/** An alarm's data points at a full minute, the oldest first, those that are missing too. */
export function dataPointsOf(alarm: Alarm, store: MetricStore, now: number): (number | undefined)[] {
  const { period, evaluationPeriods, metrics, expression } = alarm;
  return Array.from({ length: evaluationPeriods + furtherDataPoints }, (_, index) => {
    const to = now - (evaluationPeriods + furtherDataPoints - 1 - index) * period;
    return expression.evaluate((id) => {
      const found = metrics.find((one) => one.id === id);
      return found && store.statistic(found.metric, found.statistic, to - period, to);
    });
  });
}

/**
 * Whether data points, the oldest first, are an alarm. Of those that are there, the newest are judged; missing ones
 * are filled in only where too few are there.
 */
export function isAlarm(
  alarm: Pick<Alarm, 'evaluationPeriods' | 'datapointsToAlarm' | 'isMissingBreaching' | 'breaches'>,
  dataPoints: readonly (number | undefined)[],
): boolean {
  const { evaluationPeriods, datapointsToAlarm, isMissingBreaching, breaches } = alarm;
  const judged = dataPoints.filter((value) => value !== undefined).slice(-evaluationPeriods);
  const filledIn = isMissingBreaching ? evaluationPeriods - judged.length : 0;
  return judged.filter(breaches).length + filledIn >= datapointsToAlarm;
}
