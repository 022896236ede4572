import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { findContracts } from '../../../../infra/functions.ts';
import type { Draw } from '../draw.ts';
import type { WeightedPlan } from '../plan.ts';
import { plainReads } from './plain-reads.ts';

/** Plans of clients and operators with their usual weights: the `plans` of every file of this folder. */
const written: readonly WeightedPlan[] = (
  await Promise.all(
    globSync('*.ts', { cwd: import.meta.dirname })
      .sort()
      .filter((file) => file !== 'index.ts')
      .map(async (file) => {
        const module = (await import(pathToFileURL(join(import.meta.dirname, file)).href)) as {
          plans?: readonly WeightedPlan[];
        };
        return module.plans ?? [];
      }),
  )
).flat();

const areWritten = new Set(written.map(([make]) => make.name));
const all = [...written, ...plainReads.filter(([make]) => !areWritten.has(make.name))];
await checkAllPlanned();

/** @throws Error for an endpoint without a plan of its name: the simulation would never call it */
async function checkAllPlanned(): Promise<void> {
  const planned = new Set(all.map(([make]) => make.name));
  const { operations } = await findContracts();
  for (const { operationId, endpoint, entry } of operations) {
    if (planned.has(operationId) || endpoint.access === 'none') continue;
    const [, subject] = entry.split('/');
    throw new Error(
      `The endpoint ${operationId} has no plan: add a function ${operationId} to test/simulation/run/plans/${subject}.ts`,
    );
  }
}

/** Plans of one episode, with random changes of their weights. */
export const someMix = (draw: Draw): readonly WeightedPlan[] =>
  all.map(([make, weight]) => [make, weight * draw.pick([0.1, 0.5, 1, 1, 2, 6])] as const);
