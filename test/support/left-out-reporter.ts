import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { root } from '../../infra/functions.ts';
import { namesNothing, type LeftOut } from './left-out.ts';

/** Fails a run for each entry of its left-out list that matches no test. */
export class LeftOutReporter implements Reporter {
  readonly #list: readonly LeftOut[];

  constructor(list: readonly LeftOut[]) {
    this.#list = list;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const loaded = modules.flatMap((module) =>
      [...module.children.allTests()].map(({ fullName }) => ({
        file: relative(root, module.moduleId),
        fullName,
      })),
    );
    for (const { file, test } of namesNothing(this.#list, loaded, (path) => existsSync(join(root, path)))) {
      const named = test === undefined ? file : `${String(test)} of ${file}`;
      process.stderr.write(
        `${named} is left out, but names no test: name what took its place, or nothing.\n`,
      );
      process.exitCode = 1;
    }
  }
}
