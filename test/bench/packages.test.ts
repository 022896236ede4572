import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalError } from '../../infra/local/local-error.ts';
import { missingPackages, requirePackages } from './packages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-packages-'));
  const dependencies = { one: '1.0.0', '@scope/two': '2.0.0' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a package that is missing is refused in a sentence that says what to run', () => {
  mkdirSync(join(folder, 'node_modules/one'), { recursive: true });
  expect(missingPackages(folder)).toEqual(['@scope/two']);
  const refused = () => {
    requirePackages(folder);
  };
  expect(refused).toThrow(LocalError);
  expect(refused).toThrow(/^The benchmarks .+ not installed: run "npm ci --prefix test\/bench"\.$/);
});

test('where all are installed, nothing is refused', () => {
  for (const name of ['one', '@scope/two'])
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  requirePackages(folder);
  expect(missingPackages(folder)).toEqual([]);
});
