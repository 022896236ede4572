import { configDefaults, defineConfig } from 'vitest/config';

/** What every run of tests shares, also those of `test/outside` and `test/deployed`. */
export const shared = {
  globalSetup: 'test/support/global-setup.ts',
  reporters: ['default', './test/support/summary-reporter.ts'],
  // Some tests start the whole service, or synthesize a stack.
  maxWorkers: 2,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/** Compares what roles allow with what the functional tests were seen to ask, so it runs when they are done. */
const last = 'test/infra/stack/privileges.test.ts';

export default defineConfig({
  test: {
    ...shared,
    projects: [
      {
        extends: true,
        test: { name: 'tests', include: ['test/**/*.test.ts'], exclude: [...configDefaults.exclude, last] },
      },
      { extends: true, test: { name: 'last', include: [last], sequence: { groupOrder: 1 } } },
    ],
  },
});
