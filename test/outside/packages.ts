import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output, runs } from './commands.ts';

/** Packages of a part, whose folder has their `package.json` and `package-lock.json`. */
export interface Packages {
  from: string;
  /** One of them, by which a registry is found to have them. */
  one: string;
  /** Name of all of them in sentences, in the plural. */
  called: string;
}

/** Says in a sentence why packages cannot be installed. Undefined if they can. */
export async function missingPackages({ one, called }: Packages): Promise<string | undefined> {
  if (!(await runs('npm', '--version'))) return `there is no npm (npm), by which ${called} are got.`;
  const known = await runs('npm', 'view', one, 'name', '--fetch-retries=0');
  return known ? undefined : `npm reaches no registry that has ${called}.`;
}

/** Installs packages into a folder of their own, which is there until `opened` is disposed of. Returns its path. */
export async function installPackages(packages: Packages, opened: AsyncDisposableStack): Promise<string> {
  const folder = opened.adopt(mkdtempSync(join(tmpdir(), 'packages-')), (one) => {
    rmSync(one, { recursive: true, force: true });
  });
  await installInto(folder, packages);
  return folder;
}

/** Installs packages into a folder. @throws LocalError if npm does not get them */
export async function installInto(folder: string, { from, called }: Packages): Promise<void> {
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(from, file), join(folder, file));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await output('npm', ['ci', ...options], { cwd: folder }, `npm did not get ${called}`);
}

/** Loads an installed package. */
export const load = (folder: string, name: string): unknown =>
  createRequire(join(folder, 'package.json'))(name);
