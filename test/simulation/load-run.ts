import { maxFormsPerDay } from './run/model/day-counts.ts';
import { redirectModules } from './run/module-hooks.ts';

/**
 * Replaces real modules of this process by simulated ones, then loads the run. Modules that load functions
 * may be imported before it as types only.
 */
export async function loadRun() {
  redirectModules();
  process.env['FORMS_PER_KEY_PER_DAY'] = String(maxFormsPerDay);
  const { createFormSubmissionEndpoint } = await import('../../shared/contract/forms.ts');
  process.env['KEYED_PATHS'] = createFormSubmissionEndpoint.path;
  process.env['REFUSED_TOKENS_PER_MINUTE'] = '60';
  await import('libphonenumber-js/max');
  const { installClock } = await import('./run/process-clock.ts');
  const { run } = await import('./run/run.ts');
  const { runEpisode } = await import('./run/episode.ts');
  const { Figures } = await import('./run/figures.ts');
  const { reportOf } = await import('./run/report.ts');
  installClock();
  return { run, runEpisode, Figures, reportOf };
}
