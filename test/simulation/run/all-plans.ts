import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { operations } from './contracts.ts';
import type { Draw } from './draw.ts';
import { genericPlan } from './generic/generic-plan.ts';
import type { WeightedPlan } from './plan.ts';
import { costly, frequent, hints } from './plans/hints.ts';

const folder = join(import.meta.dirname, 'plans');

/**
 * Plans of operations with too much meaning for the generic plan, with their usual weights: the `plans` of every file
 * of the folder.
 */
const dense: readonly WeightedPlan[] = (
  await Promise.all(
    globSync('*.ts', { cwd: folder })
      .sort()
      .map(async (file) => {
        const module = (await import(pathToFileURL(join(folder, file)).href)) as {
          plans?: readonly WeightedPlan[];
        };
        return module.plans ?? [];
      }),
  )
).flat();

const areDense = new Set(dense.map(([make]) => make.name));
const weights = { GET: 1.5, POST: 4, PUT: 3, PATCH: 3, DELETE: 1.2 };

/** Plans of all other operations. */
const generic = operations
  .filter(({ operationId }) => !areDense.has(operationId))
  .map((operation): WeightedPlan => {
    const { operationId, endpoint } = operation;
    const make = genericPlan(operation, hints[operationId]);
    const usual = weights[endpoint.method] / (costly.test(endpoint.path) ? 4 : 1);
    return [Object.defineProperty(make, 'name', { value: operationId }), frequent[operationId] ?? usual];
  });

const all = [...dense, ...generic];
/** Names of all plans. */
export const planNames: readonly string[] = all.map(([make]) => make.name);

/** Plans of one episode, with random changes of their weights. */
export const weightedPlans = (draw: Draw, frequent: readonly string[]): readonly WeightedPlan[] =>
  all.map(([make, weight]) => {
    const often = draw.pick([0.1, 0.5, 1, 1, 2, 6]);
    return [make, weight * (frequent.includes(make.name) ? 10 : often)] as const;
  });
