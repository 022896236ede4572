import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/vitest/longest-first.ts';
import { patience } from './test/support/patience.ts';

/** Settings of every test run, also of the runs of `test/outside` and `test/deployed`. */
export const shared = {
  globalSetup: 'test/support/vitest/global-setup.ts',
  setupFiles: [join(import.meta.dirname, 'test/support/vitest/each-file.ts')],
  // Files share a process and its modules, so that no file loads the modules again: see `each-file.ts`.
  isolate: false,
  // Only a failed test shows its output, such as the causes of each 5xx: see `api-client.ts`.
  silent: 'passed-only' as const,
  reporters: ['default', './test/support/vitest/summary-reporter.ts'],
  // Some tests start the whole service, or synthesize a stack.
  maxWorkers: 2,
  // Tests make many short-lived objects. V8 collects them less often in a larger young generation: a tenth less CPU time.
  execArgv: ['--min-semi-space-size=16'],
  testTimeout: patience,
  hookTimeout: patience,
  teardownTimeout: patience,
};

/** Tests that run after the functional tests, because they check records of the functional tests. */
const last = [
  'test/infra/stack/privileges.test.ts',
  'test/infra/privacy.test.ts',
  'test/infra/stack/watch/emitted.test.ts',
];

/** Deep proofs: whole folders, and files with `.full` in their names. `npm run test:full` runs them. */
const full = [
  'test/**/*.full.test.ts',
  'test/{deployed,outside,simulation,week}/**/*.test.ts',
  'test/infra/release/**/*.test.ts',
];

export default defineConfig({
  test: {
    ...shared,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...full, ...last],
        },
      },
      {
        extends: true,
        // One file after the other: if the functional tests were not run before, the first file runs them for all.
        test: { name: 'last', include: last, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { name: 'full', include: full } },
    ],
  },
});
