import { LocalError } from '../local-error.ts';
import { parseExpression, type Expression } from './metric-math.ts';
import { statisticOf, type MetricStore, type Statistic } from './metric-store.ts';
import type { Metric } from './metric.ts';
import type { AlarmProperties } from './resources.ts';

/** An alarm of the template, as this machine evaluates it. */
export interface Alarm {
  name: string;
  /** Description for people. */
  sentence: string;
  /** Milliseconds of one data point. */
  period: number;
  /** Data points that are evaluated, and how many of them must breach. */
  evaluationPeriods: number;
  datapointsToAlarm: number;
  isMissingBreaching: boolean;
  /** True if the alarm fires on too low a value, which a period that has just begun always has. */
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
 * Data points that CloudWatch reads beyond those that it evaluates, in case some are missing. It does not
 * document the number; its examples read five to evaluate three.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
const furtherDataPoints = 2;

/** @throws LocalError for an alarm that this machine cannot evaluate */
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
  /** Seconds. */
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

/** Replaces the ids in an expression by the expressions that they name. */
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

/** Milliseconds of data before now that an alarm reads. */
export const windowOf = ({ period, evaluationPeriods }: Alarm) =>
  (evaluationPeriods + furtherDataPoints) * period;

/** Data points of an alarm at a full minute, the oldest first. Missing ones are undefined. */
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
 * True if data points, the oldest first, are an alarm. The newest that exist are evaluated. Missing ones
 * count only if too few exist.
 */
export function isAlarm(
  alarm: Pick<Alarm, 'evaluationPeriods' | 'datapointsToAlarm' | 'isMissingBreaching' | 'breaches'>,
  dataPoints: readonly (number | undefined)[],
): boolean {
  const { evaluationPeriods, datapointsToAlarm, isMissingBreaching, breaches } = alarm;
  const evaluated = dataPoints.filter((value) => value !== undefined).slice(-evaluationPeriods);
  const filledIn = isMissingBreaching ? evaluationPeriods - evaluated.length : 0;
  return evaluated.filter(breaches).length + filledIn >= datapointsToAlarm;
}
