import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { root } from '../../../infra/root.ts';
import { isLeftOut, type LeftOut } from './left-out-reporter.ts';

/** Skips the tests of each file that a list leaves out, and gives the reason. A setup file calls it. */
export function skipLeftOut(list: readonly LeftOut[]): void {
  beforeEach(({ task, skip }) => {
    const file = relative(root, task.file.filepath);
    const known = list.find((one) => one.file === file && isLeftOut(one, task.fullTestName));
    if (known) skip(known.why);
  });
}
