import { metrics, type MetricName } from './metrics.ts';

/** Those fields of a line that are metrics, and those that are dimensions of metrics. */
export interface MetricFields
  extends Partial<Record<MetricName, number | undefined>>, Partial<Record<'answer' | 'text', string>> {
  operation: string;
}

interface Directive {
  Namespace: string;
  Dimensions: [string[]];
  Metrics: { Name: MetricName; Unit: string }[];
}

/**
 * What tells CloudWatch which fields of a line are metrics (embedded metric format), with one directive for all that have
 * the same dimension. Undefined if there are none: a count of 0 is left out, since it would change no sum.
 *
 * No library: that of Powertools writes a line of its own, a second one to pay for with each request, and takes 1 ms of
 * each cold start.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics(namespace: string, fields: MetricFields, emitted: readonly MetricName[]) {
  const directives = new Map<string | undefined, Directive>();
  for (const Name of emitted) {
    const metric = metrics[Name];
    const value = fields[Name];
    if (value === undefined || (value === 0 && metric.unit === 'Count')) continue;
    const by = 'by' in metric ? metric.by : undefined;
    const directive = directives.get(by) ?? {
      Namespace: namespace,
      // The names of one dimension, or of none.
      Dimensions: [by === undefined ? [] : [by]],
      Metrics: [],
    };
    directive.Metrics.push({ Name, Unit: metric.unit });
    directives.set(by, directive);
  }
  if (directives.size === 0) return undefined;
  return { Timestamp: Date.now(), CloudWatchMetrics: [...directives.values()] };
}
