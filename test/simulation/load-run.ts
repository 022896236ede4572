import { registerHooks } from 'node:module';

/**
 * Replaces the outside of this process's functions by a simulated one, then loads the run. Modules that load functions
 * may be imported before it as types only.
 */
export async function loadRun() {
  redirectModules();
  await import('../../shared/domain/phone/numbering-plans.ts');
  const { installClock } = await import('./run/process-clock.ts');
  const { run } = await import('./run/run.ts');
  const { runEpisode } = await import('./run/episode.ts');
  const { Figures, reportOf } = await import('./run/report.ts');
  const { planNames } = await import('./run/all-plans.ts');
  const { operations } = await import('./run/contracts.ts');
  installClock();
  const operationIds = operations.map(({ operationId }) => operationId);
  return { run, runEpisode, Figures, reportOf, planNames, operationIds };
}

/** Folder of everything that a function has of the outside, and the module that replaces its files. */
const outside = new URL('../../shared/http/outside/', import.meta.url).href;
const simulated = new URL('run/outside.ts', import.meta.url).href;
const timers = new URL('./run/process-clock.ts', import.meta.url).href;

/** Makes functions load the simulated outside, and middy the virtual timers, from now on. */
function redirectModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'node:timers' && context.parentURL?.includes('/@middy/')) {
        return { url: timers, shortCircuit: true };
      }
      const resolved = next(specifier, context);
      return resolved.url.startsWith(outside) ? { ...resolved, url: simulated } : resolved;
    },
  });
}
