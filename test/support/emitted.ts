import { appendFileSync, readFileSync } from 'node:fs';
import { keyOf, type Metric, type OnMetric } from '../../infra/local/watch/metric.ts';

/** Writes the metrics that are emitted into a file, each once. Several machines may share the file. */
export function recordMetricsIn(file: string): OnMetric {
  const noted = new Set<string>();
  return ({ namespace, name, dimensions }) => {
    const metric: Metric = { namespace, name, dimensions };
    const key = keyOf(metric);
    if (noted.has(key)) return;
    noted.add(key);
    appendFileSync(file, `${JSON.stringify(metric)}\n`);
  };
}

/** Metrics in a file of `recordMetricsIn`. */
export const readMetrics = (file: string): Metric[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Metric);
