import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { root } from '../../infra/functions.ts';

/** Tests that are left out of a run because they would show nothing about the service there. */
export interface LeftOut {
  /** Test file, relative to the project. */
  readonly file: string;
  /**
   * Pattern of full test names: those of the enclosing suites, and the test's own. Without a pattern, the
   * file is not loaded.
   */
  readonly test?: RegExp;
  readonly why: string;
}

/** Name of a test, as left-out lists use it. */
export interface NamedTest {
  /** Relative to the project. */
  readonly file: string;
  /** Full name as Vitest gives it, with ` > ` between the parts. */
  readonly fullName: string;
}

/** Files that are left out whole. */
export const filesLeftOut = (list: readonly LeftOut[]): string[] =>
  list.filter(({ test }) => test === undefined).map(({ file }) => file);

/** Entry of a list that leaves a test out; undefined if the test is run. */
export const leftOutOf = (list: readonly LeftOut[], { file, fullName }: NamedTest): LeftOut | undefined =>
  list.find((one) => one.file === file && (one.test?.test(fullName.replaceAll(' > ', ' ')) ?? true));

/**
 * Entries that match nothing any more: files that do not exist, and patterns that match no test of the loaded
 * files. So no entry outlives its test.
 */
export function namesNothing(
  list: readonly LeftOut[],
  loaded: readonly NamedTest[],
  exists: (file: string) => boolean,
): LeftOut[] {
  const files = new Set(loaded.map(({ file }) => file));
  return list.filter((one) => {
    if (!exists(one.file)) return true;
    if (one.test === undefined || !files.has(one.file)) return false;
    return !loaded.some((test) => leftOutOf([one], test) !== undefined);
  });
}

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
