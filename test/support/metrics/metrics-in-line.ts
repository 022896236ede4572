/** A metric of CloudWatch. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
}

/** One value of a metric. */
export interface Datum extends Metric {
  value: number;
  /** Epoch milliseconds. */
  at: number;
}

/** Unique string of a metric. The order of dimensions does not matter. */
export const keyOf = ({ namespace, name, dimensions }: Metric): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);

interface EmbeddedMetrics extends Record<string, unknown> {
  _aws: {
    Timestamp: number;
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
  };
}

/**
 * Metrics in a log line, in CloudWatch's embedded metric format. As in CloudWatch, a metric is dropped if its
 * value is missing or no number, or if a dimension is missing or no string.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function metricsInLine(line: string): Datum[] {
  if (!line.includes('"_aws"')) return [];
  const { _aws, ...fields } = JSON.parse(line) as EmbeddedMetrics;
  return _aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, fields[name]]));
      if (!Object.values(dimensions).every((value) => typeof value === 'string')) return [];
      return Metrics.flatMap(({ Name: name }) =>
        [fields[name]]
          .flat()
          .filter((value) => typeof value === 'number')
          .map((value) => ({
            namespace,
            name,
            dimensions: dimensions as Record<string, string>,
            value,
            at: _aws.Timestamp,
          })),
      );
    }),
  );
}
