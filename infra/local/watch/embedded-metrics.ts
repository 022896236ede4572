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
 * The metrics in a line of log, in CloudWatch's embedded metric format. As there, what is named and is not in the line,
 * or is no number (of a dimension: no text), is no metric.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics(line: string): Datum[] {
  // Most lines of other programs need not be parsed.
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
