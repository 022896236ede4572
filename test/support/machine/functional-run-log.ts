import { execFile } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { root } from '../../../infra/root.ts';
import { runLogIn, runLogVariable, type RunLog } from './run-log.ts';

const functional = globSync('test/functional/**/*.test.ts', { cwd: root, exclude: ['**/*.full.test.ts'] });

/**
 * Log of the functional tests, for tests that vitest runs after all others. If this run did not include
 * all functional tests, the first caller runs them on this run's engine, so that its table has their data.
 * @throws Error if a test fails
 */
export async function functionalRunLog(): Promise<RunLog> {
  const wereRun = functional.every((file) => inject('testFiles').includes(join(root, file)));
  if (wereRun) return runLogIn(inject('runLog'));
  const folder = join(inject('runLog'), 'functional');
  const runLog = runLogIn(folder);
  const done = join(folder, 'done');
  if (!existsSync(done)) await runFunctionalTests(folder);
  writeFileSync(done, '');
  return runLog;
}

async function runFunctionalTests(folder: string): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const env = {
    ...Object.fromEntries(own),
    [runLogVariable]: folder,
    DYNAMODB_ENDPOINT: inject('engineEndpoint'),
  };
  await promisify(execFile)(process.execPath, [vitest, 'run', ...functional], { cwd: root, env });
}
