import * as v from 'valibot';
import { LocalError } from '../local-error.ts';
import type { Metric } from './metric.ts';
import type { MetricFilterProperties } from './resources.ts';

/** Derives a metric from the lines of a log. */
export interface MetricFilter {
  metric: Metric;
  /** Name of the log group on this machine. */
  group: string;
  /** Value of the metric for a line; undefined if the line has none. */
  valueOf: (line: string) => number | undefined;
}

const Line = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

/**
 * Reads a metric filter. CloudWatch reports the default value for a minute without a matching line. Here,
 * each line that does not match reports it, which gives the same sums, minima and maxima.
 * @throws LocalError for a pattern other than `{ $.field = "value" }`
 */
export function metricFilterOf(
  name: string,
  { FilterPattern, MetricTransformations: [transformation] }: MetricFilterProperties,
  group: string,
): MetricFilter {
  const [, field = '', wanted = ''] = /^\{ ?\$\.(\w+) ?= ?"([^"*]*)" ?\}$/.exec(FilterPattern) ?? [];
  if (field === '')
    throw new LocalError(
      `The local machine cannot run ${name}: its pattern is ${FilterPattern}, where it knows { $.field = "value" }`,
    );
  const { MetricNamespace, MetricName, MetricValue, DefaultValue } = transformation;
  return {
    metric: { namespace: MetricNamespace, name: MetricName, dimensions: {} },
    group,
    valueOf: (line) => {
      const { success, output } = v.safeParse(Line, line);
      return success && output[field] === wanted ? Number(MetricValue) : DefaultValue;
    },
  };
}
