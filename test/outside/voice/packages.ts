import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { output, runs } from '../commands.ts';

/** Says in a sentence why the platforms' packages cannot be installed. Undefined if they can. */
export async function missingTools(): Promise<string | undefined> {
  if (!(await runs('npm', '--version')))
    return "there is no npm (npm), by which the voice platforms' packages are got.";
  const known = await runs('npm', 'view', 'retell-sdk', 'name', '--fetch-retries=0');
  return known ? undefined : "npm reaches no registry that has the voice platforms' packages.";
}

/** Installs the platforms' packages into an empty folder. */
export async function installPackages(folder: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(import.meta.dirname, file), join(folder, file));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await output('npm', ['ci', ...options], { cwd: folder }, "npm did not get the voice platforms' packages");
}

/** Loads an installed package. */
export const load = (folder: string, name: string): unknown =>
  createRequire(join(folder, 'package.json'))(name);
