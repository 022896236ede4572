import { afterAll, vi } from 'vitest';
import { endFile } from './at-file-end.ts';

// Vitest runs this before each test file. Files share a process and its modules, because loading them anew for each
// took a third of the CPU time of small files. So no file may leave a trace there.
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
  await endFile();
});
