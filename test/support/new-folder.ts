import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './vitest/at-file-end.ts';

/** Makes an empty folder, which is removed at the end of the test file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  atFileEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
