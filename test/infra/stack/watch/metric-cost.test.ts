import { expect, test } from 'vitest';
import { findContracts } from '../../../../infra/functions.ts';
import { dollarsFor, prices } from '../../../../infra/prices.ts';
import { metrics } from '../../../../shared/http/metrics.ts';
import { customMetrics } from '../../../cost/stage.ts';

test('all metrics of a stage that can be there at every hour cost less than 12 dollars a month', async () => {
  const { most } = customMetrics(await findContracts());
  expect(most).toBeGreaterThan(20);
  expect(dollarsFor(prices.cloudWatch.customMetrics, most)).toBeLessThan(12);
});

test('a failing operation costs a fraction of a cent for each hour in which it fails', () => {
  // The only metric by operation is sent when an operation fails. AWS charges a metric only for the hours
  // with a value.
  expect(Object.values(metrics).filter((metric) => 'by' in metric && metric.by === 'operation')).toEqual([
    metrics.serverErrors,
  ]);
  expect(dollarsFor(prices.cloudWatch.customMetrics, 1 / 730)).toBeLessThan(0.001);
});
