import { appendFileSync, readFileSync } from 'node:fs';
import { keyOf, type Metric, type OnMetric } from '../../infra/local/watch/metric.ts';

/** Notes in a file which metrics there are, each once. Several machines may share the file. */
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

/** The metrics that were noted in a file. */
export const readMetrics = (file: string): Metric[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Metric);
