import { buildSync } from 'esbuild';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Environments } from '../../../infra/local/functions/environments.ts';
import { FunctionHost } from '../../../infra/local/functions/function-host.ts';
import { newFolder } from '../../support/new-folder.ts';

let folder: string;
let environments: Environments;
let hosts: FunctionHost[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = newFolder();
  writeFileSync(
    join(folder, 'index.mjs'),
    `import { threadId } from 'node:worker_threads';
    export const handler = async () => ({ threadId });`,
  );
  environments = new Environments();
  hosts = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(hosts.map((host) => host.close()));
});

function newHost(): FunctionHost {
  const definition = {
    name: 'Echo',
    folder,
    handler: 'index.handler',
    timeoutSeconds: 10,
    description: 'Echo',
    memorySize: 128,
    environment: {},
    role: [],
  };
  const host = new FunctionHost(definition, environments, {});
  hosts.push(host);
  return host;
}

/** Invokes the function several times at once. Returns the threads that answered. */
async function threads(host: FunctionHost, times: number): Promise<Set<unknown>> {
  const outcomes = await Promise.all(Array.from({ length: times }, () => host.invoke({})));
  expect(outcomes.map(({ error }) => error?.message)).toEqual(Array(times).fill(undefined));
  return new Set(outcomes.map(({ result }) => result));
}

test('the eight idle environments that were used last are kept', async () => {
  const functions = Array.from({ length: 10 }, () => newHost());
  const inTurn = async (these: FunctionHost[]) => {
    const used: unknown[] = [];
    for (const host of these) used.push(...(await threads(host, 1)));
    return used;
  };
  const [first, second, ...others] = await inTurn(functions);
  vi.advanceTimersByTime(20_000);
  // The first is used again, so the second and the third have been idle longest.
  expect(await inTurn(functions.slice(0, 1))).toEqual([first]);
  vi.advanceTimersByTime(30_000);
  const [firstAfter, secondAfter, thirdAfter, ...othersAfter] = await inTurn(functions);
  expect([firstAfter, ...othersAfter]).toEqual([first, ...others.slice(1)]);
  expect([second, others[0]]).not.toContain(secondAfter);
  expect([second, others[0]]).not.toContain(thirdAfter);
});

test('an error and the output of a function name the places of its sources', async () => {
  writeFileSync(
    join(folder, 'source.ts'),
    `export const handler = (crashes) => {
      console.log(JSON.stringify(new Error('Written').stack));
      if (crashes) setImmediate(() => { throw new Error('Crashed'); });
      else throw new Error('Thrown');
      return new Promise(() => undefined);
    };`,
  );
  const [entry, outfile] = ['source.ts', 'index.mjs'].map((name) => join(folder, name));
  buildSync({ entryPoints: [entry!], outfile: outfile!, minify: true, format: 'esm', sourcemap: true });
  const placeIn = (text?: string) => text?.match(/source\.ts:\d+/)?.[0];
  const thrown = await newHost().invoke(false);
  expect([thrown.output, thrown.error?.stack].map(placeIn)).toEqual(['source.ts:2', 'source.ts:4']);
  const crashed = await newHost().invoke(true);
  expect(placeIn(crashed.error?.stack)).toBe('source.ts:3');
});
