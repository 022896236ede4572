import { registerHooks } from 'node:module';

/**
 * Replaces real modules of this process by simulated ones, then loads the run. Modules that load functions
 * may be imported before it as types only.
 */
export async function loadRun() {
  redirectModules();
  // So few that some forms are refused.
  process.env['FORMS_PER_KEY_PER_DAY'] = '12';
  const { findContracts } = await import('../../infra/functions.ts');
  const { isKeyScope } = await import('../../shared/contract/scopes.ts');
  const keyed = (await findContracts()).operations.filter(({ endpoint }) => isKeyScope(endpoint.scope));
  process.env['KEYED_PATHS'] = keyed.map(({ endpoint }) => endpoint.path).join(' ');
  process.env['REFUSED_TOKENS_PER_MINUTE'] = '60';
  await import('libphonenumber-js/max');
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

/** Modules with real dependencies, and their replacements. */
const replaced = new Map(
  [
    ['../../shared/http/table.ts', './run/replacements.ts'],
    ['../../shared/http/sms-provider.ts', './run/replacements.ts'],
    ['../../shared/http/secret-box.ts', './run/replacements.ts'],
    ['../../shared/http/webhook-queue.ts', './run/replacements.ts'],
    ['../../shared/http/post-webhook.ts', './run/replacements.ts'],
  ].map(([real = '', simulated = '']) => [
    new URL(real, import.meta.url).href,
    new URL(simulated, import.meta.url).href,
  ]),
);
const timers = new URL('./run/process-clock.ts', import.meta.url).href;

/** Makes functions load the replacements, and middy the virtual timers, from now on. */
function redirectModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'node:timers' && context.parentURL?.includes('/@middy/')) {
        return { url: timers, shortCircuit: true };
      }
      const resolved = next(specifier, context);
      const simulated = replaced.get(resolved.url);
      return simulated === undefined ? resolved : { ...resolved, url: simulated };
    },
  });
}
