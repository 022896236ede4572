import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMachine, takeFolder } from '../../../infra/local/data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const machine = { endpoint: 'http://127.0.0.1:1', tableName: 'Table' };
/** As if another process held the folder: one's own is not taken for a start that runs. */
const lockedByAnother = () => {
  writeFileSync(join(folder, 'lock'), String(process.ppid));
};

test('tells where the database of a running start is, until that ends', () => {
  const { announce, release } = takeFolder(folder);
  announce(machine);
  lockedByAnother();
  expect(findMachine(folder)).toEqual(machine);
  release();
  expect(readdirSync(folder)).toEqual([]);
  expect(() => findMachine(folder)).toThrow(/^Nothing runs on the data in /);
});

test('says that a start is not ready yet, whatever an earlier one left behind', () => {
  takeFolder(folder).announce(machine);
  rmSync(join(folder, 'lock'));
  takeFolder(folder);
  lockedByAnother();
  expect(() => findMachine(folder)).toThrow(/^"npm start" is not ready yet on the data in /);
  writeFileSync(join(folder, 'machine.json'), '{"endpoint"');
  expect(() => findMachine(folder)).toThrow(/^"npm start" is not ready yet on the data in /);
});

test('takes no other process for a start', () => {
  for (const owner of ['', '0', '-1', 'npm', String(2 ** 31 - 1)]) {
    takeFolder(folder).announce(machine);
    writeFileSync(join(folder, 'lock'), owner);
    expect(() => findMachine(folder), owner).toThrow(/^Nothing runs on the data in /);
    rmSync(join(folder, 'lock'));
  }
});
