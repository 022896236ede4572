import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { root } from '../../../infra/functions.ts';
import { readTemplate } from '../../../infra/local/template.ts';
import { allowedBy, askedVariable, readAsked } from '../../support/asked.ts';

/** Vitest runs this file after all others. Where not all functional tests were run before, it runs them itself. */
const functional = globSync('test/functional/**/*.test.ts', { cwd: root });
const wereRun = functional.every((file) => inject('testFiles').includes(join(root, file)));

let folder: string;
let asked: ReturnType<typeof readAsked>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'privileges-'));
  const file = wereRun ? inject('asked') : join(folder, 'asked.jsonl');
  if (!wereRun) await runFunctionalTests(file);
  asked = readAsked(file);
}, 600_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Notes in a file what functions ask for. @throws Error if a test fails */
async function runFunctionalTests(file: string): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const env = { ...Object.fromEntries(own), [askedVariable]: file };
  await promisify(execFile)(process.execPath, [vitest, 'run', ...functional], { cwd: root, env });
}

const { functions } = readTemplate(inject('assembly'));

describe.each(functions.map(({ name, role }) => [name, role] as const))('%s', (name, role) => {
  test('was seen to ask for all that its role allows, and for nothing else', () => {
    const notes = asked.filter(({ functionName }) => functionName === name);
    const seen = new Set(notes.flatMap(({ permissions }) => permissions));
    expect([...seen].sort()).toEqual([...allowedBy(role)].sort());
  });
});

test('no function was denied anything, and none asked that is not in the template', () => {
  expect(asked.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  const names = new Set(functions.map(({ name }) => name));
  expect(asked.filter(({ functionName }) => !names.has(functionName))).toEqual([]);
});
