import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('./simulate-copy.ts', import.meta.url));
const points = 80;

const simulate = (seed: number): Promise<{ stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const args = ['--no-warnings', program, String(seed), String(points)];
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      resolve({ stdout, stderr });
    });
  });

test.each([7])(
  'a copy that reads the feed is the organization at each version to which it catches up, with the seed %i',
  async (seed) => {
    const { stdout, stderr } = await simulate(seed);
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeGreaterThanOrEqual(points);
  },
);
