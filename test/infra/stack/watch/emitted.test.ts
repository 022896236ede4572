import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import type { Metric } from '../../../../infra/local/watch/metric.ts';
import { readMetrics } from '../../../support/emitted.ts';
import { recordsOfFunctionalTests } from '../../../support/functional-run.ts';
import { readLogged } from '../../../support/logged.ts';
import { metricsNamedIn, queriesNamedIn, type Resources } from '../../../support/watched.ts';

/** Proves that a run emits everything that alarms, graphs and queries name. */

const file = join(inject('assembly'), 'SalesPipeline-dev.template.json');
const { Resources: resources } = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources };

let metrics: Metric[];
let lines: Record<string, unknown>[];
beforeAll(async () => {
  const notes = await recordsOfFunctionalTests();
  metrics = readMetrics(notes.metrics);
  lines = readLogged(notes.logged).flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}, 600_000);

const named = metricsNamedIn(resources);
test('alarms and graphs name metrics', () => {
  expect(named.length).toBeGreaterThan(25);
});

test.each(named)('$by: a run emits $name $dimensions $each', ({ namespace, name, dimensions, each }) => {
  const wanted = [...Object.keys(dimensions), ...(each === undefined ? [] : [each])].sort();
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
  expect([...seen]).toEqual(expect.arrayContaining(fields));
});
