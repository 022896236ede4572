import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one line: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    // A file that does not load, and an error outside of any test, are failures too.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    process.on('exit', () => {
      process.stdout.write(`${passed} passed, ${failed + broken} failed\n`);
    });
  }
}
