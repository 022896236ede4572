import { hash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { LocalError } from './local-error.ts';
import { sources } from './source-changes.ts';
import { synthesize, type Settings } from './synthesize.ts';

/** Folder of this checkout's assemblies, each named by its digest. An unfinished assembly has another name. */
const assemblies = join(root, 'node_modules/.cache/sales-pipeline-service');

/** Assemblies that stay: those of the latest starts. A machine that runs needs its own. */
const kept = 8;

interface Options {
  settings?: Settings | undefined;
  signal?: AbortSignal | undefined;
  /** Receives what is done, as a sentence. */
  onStep?: ((step: string) => void) | undefined;
}

/**
 * Makes the bundles and the template, and returns their folder. All starts of this checkout share it, and none changes
 * it. It is made once for the contents of all sources, the versions of the installed packages, Node.js and the
 * settings.
 *
 * @throws LocalError as `synthesize` does, and if the folder cannot be written
 */
export async function ensureAssembly({ settings = {}, signal, onStep }: Options = {}): Promise<string> {
  for (let isMade = false; ; isMade = true) {
    const digest = digestOfSources(root, settings);
    const folder = join(assemblies, digest);
    if (existsSync(folder)) {
      if (!isMade) onStep?.('Starting the database. Nothing has changed since the functions were bundled');
      const now = new Date();
      utimesSync(folder, now, now);
      return folder;
    }
    if (!isMade) onStep?.('Starting the database, bundling the functions, synthesizing the template');
    const unfinished = newFolder();
    try {
      await synthesize(unfinished, { settings, signal });
      // If a source changed meanwhile, the assembly may have the old source or the new one.
      if (digestOfSources(root, settings) === digest && !existsSync(folder)) renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    removeOld();
  }
}

function newFolder(): string {
  try {
    mkdirSync(assemblies, { recursive: true });
    return mkdtempSync(join(assemblies, 'unfinished-'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new LocalError(`The bundles cannot be kept in node_modules/.cache: ${reason}`);
  }
}

function removeOld(): void {
  const usedAt = (name: string) => statSync(join(assemblies, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const latestFirst = readdirSync(assemblies)
    .map((name) => ({ name, usedAt: usedAt(name) }))
    .sort((one, other) => other.usedAt - one.usedAt);
  for (const { name } of latestFirst.slice(kept))
    rmSync(join(assemblies, name), { recursive: true, force: true });
}

/** Digest of all that an assembly of the project in a folder is made of. */
export function digestOfSources(project: string, settings: Settings): string {
  const files = globSync(sources, { cwd: project }).sort();
  const contents = files.map((file) => [file, hash('sha256', readFileSync(join(project, file)))]);
  return hash('sha256', JSON.stringify([process.version, settings, contents]));
}
