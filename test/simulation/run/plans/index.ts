import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Draw } from '../draw.ts';
import type { WeightedPlan } from '../plan.ts';

/** What clients and operators ask, and how often as a rule: the `plans` of every file of this folder. */
const all: readonly WeightedPlan[] = (
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

/** The operations of one episode, each more or less often than as a rule. */
export const someMix = (draw: Draw): readonly WeightedPlan[] =>
  all.map(([make, weight]) => [make, weight * draw.pick([0.1, 0.5, 1, 1, 2, 6])] as const);
