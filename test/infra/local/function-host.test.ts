import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FunctionHost } from '../../../infra/local/function-host.ts';

let folder: string;
let host: FunctionHost;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(join(tmpdir(), 'function-'));
  writeFileSync(
    join(folder, 'index.mjs'),
    `import { threadId } from 'node:worker_threads';
    export const handler = async () => ({ threadId });`,
  );
  host = new FunctionHost(
    {
      name: 'Echo',
      folder,
      handler: 'index.handler',
      timeoutSeconds: 10,
      memorySize: 128,
      environment: {},
      role: [],
    },
    {},
  );
});
afterEach(async () => {
  vi.useRealTimers();
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Invokes the function that often at once; tells which threads answered. */
async function threads(times: number): Promise<Set<unknown>> {
  const outcomes = await Promise.all(Array.from({ length: times }, () => host.invoke({})));
  expect(outcomes.map(({ error }) => error?.message)).toEqual(Array(times).fill(undefined));
  return new Set(outcomes.map(({ result }) => result));
}

test('of the environments that were idle for long, one is kept, and the others get no invocation any more', async () => {
  const before = await threads(4);
  vi.advanceTimersByTime(30_000);
  const after = await threads(4);
  expect(before.size).toBe(4);
  expect(after.size).toBe(4);
  expect(before.intersection(after).size).toBe(1);
});
