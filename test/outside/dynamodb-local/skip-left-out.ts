import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { root } from '../../../infra/functions.ts';
import { leftOut } from './left-out.ts';

// In every test file, before each of its tests.
beforeEach(({ task, skip }) => {
  const name = task.fullTestName.replaceAll(' > ', ' ');
  const known = leftOut.find(({ file, test }) => join(root, file) === task.file.filepath && test.test(name));
  if (known) skip(known.why);
});
