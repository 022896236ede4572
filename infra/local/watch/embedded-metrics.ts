import * as v from 'valibot';
import type { Datum } from './metric.ts';

const Directive = v.object({
  Namespace: v.string(),
  Dimensions: v.array(v.array(v.string())),
  Metrics: v.array(v.object({ Name: v.string() })),
});

const Line = v.pipe(
  v.string(),
  v.parseJson(),
  v.looseObject({ _aws: v.object({ Timestamp: v.number(), CloudWatchMetrics: v.array(Directive) }) }),
);

/**
 * Metrics in a log line, in CloudWatch's embedded metric format. As in CloudWatch, a metric is dropped if its
 * value is missing or no number, or if a dimension is missing or no string.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics(line: string): Datum[] {
  // Saves parsing: most lines of other programs have no metrics.
  if (!line.includes('"_aws"')) return [];
  const { success, output } = v.safeParse(Line, line);
  if (!success) return [];
  const { Timestamp: at, CloudWatchMetrics } = output._aws;
  return CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = dimensionsOf(names, output);
      if (!dimensions) return [];
      return Metrics.flatMap(({ Name: name }) =>
        valuesOf(output[name]).map((value) => ({ namespace, name, dimensions, value, at })),
      );
    }),
  );
}

function dimensionsOf(
  names: readonly string[],
  line: Record<string, unknown>,
): Record<string, string> | undefined {
  const values = names.map((name) => [name, line[name]] as const);
  const texts = values.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.length === names.length ? Object.fromEntries(texts) : undefined;
}

const valuesOf = (value: unknown): number[] =>
  [value].flat().filter((one): one is number => typeof one === 'number');
