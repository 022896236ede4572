import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output, runs } from './commands.ts';

/** Sentence about a tool that is missing. Undefined if it is there. */
export type Missing = Promise<string | undefined>;

/** The first of these sentences. */
export const firstMissing = async (...sentences: Missing[]): Missing =>
  (await Promise.all(sentences)).find((sentence) => sentence !== undefined);

export const missingGo = async (why: string): Missing =>
  (await runs('go', 'version')) ? undefined : `there is no Go (go), ${why}.`;

export const missingMaven = async (why: string): Missing =>
  (await runs('mvn', '--version')) ? undefined : `there is no Maven (mvn), by which ${why}.`;

/** Packages of npm. The folder `from` has their `package.json` and `package-lock.json`. */
export interface Packages {
  from: string;
  /** One of the packages: a registry that has it is taken to have all of them. */
  one: string;
  /** Name of all of them in sentences, in the plural. */
  called: string;
}

export async function missingPackages({ one, called }: Packages): Missing {
  if (!(await runs('npm', '--version'))) return `there is no npm (npm), by which ${called} are got.`;
  const known = await runs('npm', 'view', one, 'name', '--fetch-retries=0');
  return known ? undefined : `npm reaches no registry that has ${called}.`;
}

/** Installs packages into a folder. Returns the folder. */
export async function installPackages({ from, called }: Packages, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(from, file), join(folder, file));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await output('npm', args, { cwd: folder }, `npm did not get ${called}`);
  return folder;
}

/** Loads an installed package. */
export const load = (folder: string, name: string): unknown =>
  createRequire(join(folder, 'package.json'))(name);

/** @param minMinor oldest Python 3 that the tool supports */
export async function missingPython(tool: string, minMinor = 10): Missing {
  const python = await output('python3', ['--version']).catch(() => undefined);
  if (python === undefined) return `there is no Python 3 (python3), which ${tool} is written in.`;
  const [, version = '', minor = ''] = /Python (3\.(\d+)\S*)/.exec(python) ?? [];
  if (Number(minor) < minMinor)
    return `Python is version ${version}, and the tools need 3.${minMinor} or later.`;
  const isWhole = await runs('python3', '-c', 'import venv, ensurepip');
  return isWhole
    ? undefined
    : 'Python has not the modules venv and ensurepip: on Debian and Ubuntu, install python3-venv.';
}

/** Installs what a part's `requirements.txt` names into an empty folder. Returns the folder of the programs. */
export async function installPython(from: string, folder: string, tools: string): Promise<string> {
  const uv = await (installedUv ??= installUv());
  const programs = join(folder, 'bin');
  await output('python3', ['-m', 'venv', folder, '--without-pip']);
  const where = ['--quiet', '--python', join(programs, 'python')];
  const args = ['pip', 'install', ...where, '--requirement', join(from, 'requirements.txt')];
  // Whoever has a registry for pip has it for uv.
  const env = { UV_DEFAULT_INDEX: process.env['PIP_INDEX_URL'], ...process.env };
  await output(uv, args, { env }, `uv did not get ${tools}`);
  return programs;
}

let installedUv: Promise<string> | undefined;

/** Installs uv, which installs the SAM CLI in two seconds, and pip in 27. All parts of a run share it. Returns the program. */
async function installUv(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'uv-'));
  await output('python3', ['-m', 'venv', folder]);
  const args = ['install', '--quiet', '--disable-pip-version-check', 'uv==0.13.9'];
  await output(join(folder, 'bin/pip'), args, {}, 'pip did not get uv, by which tools in Python are got');
  return join(folder, 'bin/uv');
}
