import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { keyOf, metricsInLine, type Metric } from '../../../support/metrics/metrics-in-line.ts';
import { functionalRunLog } from '../../../support/machine/functional-run-log.ts';
import { readLogged } from '../../../support/machine/run-log.ts';
import {
  awsMetrics,
  metricFiltersIn,
  metricsNamedIn,
  queriesNamedIn,
  type Resources,
} from '../../../support/metrics/named-metrics.ts';

/**
 * Proves that a run emits everything that alarms, graphs and queries name of the service itself. If they name
 * a metric of AWS's services, it must be a metric of a resource of the stack.
 */

const resourcesOf = (stack: string) => {
  const file = join(inject('assembly'), `${stack}.template.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources }).Resources;
};
const resources = resourcesOf('SalesPipeline-dev');

let metrics: Metric[];
let lines: Record<string, unknown>[];
beforeAll(async () => {
  const logged = readLogged(await functionalRunLog());
  const emitted = [...logged.flatMap(metricsInLine), ...metricFiltersIn(resources)];
  metrics = [...new Map(emitted.map((metric) => [keyOf(metric), metric])).values()];
  lines = logged.flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
});

/** Metrics of faults alone. The alarms of `alarms-of-*.full.test.ts` fire by them. */
const ofFaults = ['hiddenErrors', 'refusals'];
const named = metricsNamedIn(resources).filter(
  ({ name, dimensions }) => !ofFaults.includes(name) && dimensions['answer'] !== '503',
);
test('alarms and graphs name metrics', () => {
  expect(named.length).toBeGreaterThan(25);
});

/** Resources that a reference, or a name, resolves to here. */
const all = { ...resources, ...resourcesOf('SalesPipeline-dev-data') };
const resourceNames = Object.entries(all).flatMap(([id, { Properties }]) => {
  const { Name, FunctionName, StageName, TableName, TopicName, QueueName } = (Properties ?? {}) as Record<
    string,
    unknown
  >;
  return [id, `${id}.QueueName`, Name, FunctionName, StageName, TableName, TopicName, QueueName];
});

test.each(named)('$by: $name $dimensions $each is emitted', ({ namespace, name, dimensions, each }) => {
  const wanted = [...Object.keys(dimensions), ...(each === undefined ? [] : [each])].sort();
  if (namespace.startsWith('AWS/')) {
    expect(wanted).toEqual(awsMetrics[namespace]?.[name]);
    expect(resourceNames).toEqual(expect.arrayContaining(Object.values(dimensions)));
    return;
  }
  const emitted = metrics.filter((metric) => metric.namespace === namespace && metric.name === name);
  expect(emitted.map((metric) => Object.keys(metric.dimensions).sort())).toContainEqual(wanted);
  if (each === undefined) expect(emitted.map((metric) => metric.dimensions)).toContainEqual(dimensions);
});

test.each(queriesNamedIn(resources))('$title: a run has lines with $fields', ({ groups, fields }) => {
  const isAccess = groups.every((group) => group.endsWith('/access'));
  const seen = new Set<string>();
  for (const line of lines) {
    if ('refusedBy' in line !== isAccess) continue;
    for (const [name, value] of Object.entries(line)) {
      seen.add(name);
      if (typeof value === 'object' && value !== null)
        for (const part of Object.keys(value)) seen.add(`${name}.${part}`);
    }
  }
  expect([...seen]).toEqual(expect.arrayContaining(fields.filter((field) => !ofFaults.includes(field))));
});
