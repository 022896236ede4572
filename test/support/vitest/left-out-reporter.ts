import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { root } from '../../../infra/root.ts';

/** Tests that are left out of a run because they would show nothing about the service there. */
export interface LeftOut {
  /** Test file, relative to the project. */
  readonly file: string;
  /** Pattern of names of tests, with those of the enclosing suites. Without a pattern, the file is not loaded. */
  readonly test?: RegExp;
  readonly why: string;
}

/** Files that are left out whole. */
export const filesLeftOut = (list: readonly LeftOut[]): string[] =>
  list.filter(({ test }) => test === undefined).map(({ file }) => file);

/** True if an entry leaves out a test. The full name is as Vitest gives it: with ` > ` between the parts. */
export const isLeftOut = ({ test }: LeftOut, fullName: string): boolean =>
  test?.test(fullName.replaceAll(' > ', ' ')) ?? true;

/** Fails a run for each entry of its left-out list that matches no test of the loaded files. */
export class LeftOutReporter implements Reporter {
  readonly #list: readonly LeftOut[];

  constructor(list: readonly LeftOut[]) {
    this.#list = list;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const one of this.#list) {
      const loaded = modules.find(({ moduleId }) => relative(root, moduleId) === one.file);
      const tests = loaded && [...loaded.children.allTests()];
      const isThere = tests?.some(({ fullName }) => isLeftOut(one, fullName)) ?? true;
      if (isThere && existsSync(join(root, one.file))) continue;
      const named = one.test === undefined ? one.file : `${String(one.test)} of ${one.file}`;
      process.stderr.write(
        `${named} is left out, but names no test: name what took its place, or nothing.\n`,
      );
      process.exitCode = 1;
    }
  }
}
