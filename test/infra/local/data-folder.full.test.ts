import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { findMachine, takeFolder } from '../../../infra/local/data-folder.ts';
import { gone } from '../../support/machine/project-copy.ts';
import { newFolder } from '../../support/new-folder.ts';

let folder: string;
let endings: (() => unknown)[];
beforeEach(() => {
  folder = newFolder();
  endings = [];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
});

const machine = { endpoint: 'http://127.0.0.1:1', tableName: 'Table' };
const nothingRuns = /^No "npm start" runs with the data folder /;

/** Another process, which takes or frees a folder on command. */
async function otherProcess(folder: string, [command, ...args] = [process.execPath] as string[]) {
  const child = spawn(command!, [...args, join(root, 'test/support/machine/take-folder.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value ?? 'ended';
  const end = () => {
    child.kill('SIGKILL');
    return exit;
  };
  endings.push(end);
  const pid = Number(await next());
  const tell = () => {
    child.stdin.write('\n');
    return next();
  };
  return { pid, tell, end };
}

test('names the database of a start while the start is ready', () => {
  expect(() => findMachine(folder)).toThrow(nothingRuns);
  const { announce, release } = takeFolder(folder);
  expect(() => findMachine(folder)).toThrow(/^"npm start" is not ready yet with the data folder /);
  announce(machine);
  expect(findMachine(folder)).toEqual(machine);
  // The file is like this for a short time while it is written.
  writeFileSync(join(folder, 'machine.json'), '{"process":');
  expect(() => findMachine(folder)).toThrow(/^"npm start" is not ready yet with the data folder /);
  release();
  expect(() => findMachine(folder)).toThrow(nothingRuns);
});

test.each([0o755, 0o770])('is private to its owner, even if it existed with the mode %o', (mode) => {
  chmodSync(folder, mode);
  for (const path of [folder, join(folder, 'made/anew')]) {
    takeFolder(path).release();
    expect(statSync(path).mode & 0o777).toBe(0o700);
  }
});

test('must not be one that all users write to, which stays as it is', () => {
  chmodSync(folder, 0o1777);
  expect(() => takeFolder(folder)).toThrow(/^All users write to \S+: choose a --data that is yours alone\.$/);
  expect(statSync(folder).mode & 0o7777).toBe(0o1777);
});

test('must be a folder', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => takeFolder(file)).toThrow(/^The data folder \S+ cannot be used: [^\n]+$/);
});

test('is the same folder under each of its names', () => {
  const { release } = takeFolder(folder);
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  endings.push(() => {
    rmSync(link);
    release();
  });
  expect(() => takeFolder(link)).toThrow(
    `The data folder ${link} is in use by process ${process.pid}: stop it, or choose another --data.`,
  );
});

test('is free once its process is killed, even if that stays a zombie', async () => {
  // The shell becomes `sleep`, which never waits for its child. So the killed child stays a zombie.
  const script = 'exec 3<&0; "$@" <&3 & exec sleep 600';
  const { pid, tell } = await otherProcess(folder, ['sh', '-c', script, 'sh', process.execPath]);
  expect(await tell()).toBe('taken');
  expect(() => takeFolder(folder)).toThrow(` is in use by process ${pid}: `);
  process.kill(pid, 'SIGKILL');
  await gone([pid]);
  expect(process.kill(pid, 0)).toBe(true);
  expect(() => findMachine(folder)).toThrow(nothingRuns);
  takeFolder(folder).release();
});

test('is free whatever an earlier version left in it', () => {
  writeFileSync(join(folder, 'lock'), String(process.ppid));
  writeFileSync(join(folder, 'machine.json'), JSON.stringify(machine));
  expect(() => findMachine(folder)).toThrow(nothingRuns);
  takeFolder(folder).release();
});

test('goes to one of two simultaneous starts after a kill', async () => {
  const killedInTurn = async (folder: string) => {
    for (let round = 0; round < 3; round++) {
      const pair = await Promise.all([otherProcess(folder), otherProcess(folder)]);
      const said = await Promise.all(pair.map(({ tell }) => tell()));
      const winner = said.indexOf('taken');
      expect(said[winner]).toBe('taken');
      expect(said[1 - winner]).toBe(
        `The data folder ${folder} is in use by process ${pair[winner]!.pid}: stop it, or choose another --data.`,
      );
      await Promise.all(pair.map(({ end }) => end()));
    }
  };
  await Promise.all(['a', 'b', 'c'].map((name) => killedInTurn(join(folder, name))));
});

test('can be taken while others check the lock', async () => {
  const { tell } = await otherProcess(folder);
  let rounds = 0;
  const takenAndReleased = async () => {
    for (; rounds < 100; rounds++) {
      expect(await tell()).toBe('taken');
      expect(await tell()).toBe('released');
    }
  };
  const taking = takenAndReleased();
  while (rounds < 100) {
    expect(() => findMachine(folder)).toThrow();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await taking;
});
