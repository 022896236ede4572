import { hash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { sources } from './source-changes.ts';
import { synthesize, type Settings } from './synthesize.ts';
import { readTemplate, type Template } from './template/template.ts';

/** File of an assembly with the digest of its sources. An incomplete assembly lacks the file. */
const digestFile = (folder: string) => join(folder, 'made-of');

interface Options {
  settings?: Settings | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Makes the bundles and the template in a folder. Reuses those of the last start if nothing has changed: the contents
 * of all sources, the versions of the installed packages, Node.js and the settings.
 *
 * @param onStep receives what is done, as a sentence
 * @throws LocalError as `synthesize` does
 */
export async function ensureAssembly(
  folder: string,
  { settings = {}, signal, onStep }: Options & { onStep: (step: string) => void },
): Promise<Template> {
  const digest = digestOfSources(root, settings);
  if (storedDigest(folder) === digest) {
    onStep('Starting the database. Nothing has changed since the functions were bundled');
    return readTemplate(folder);
  }
  onStep('Starting the database, bundling the functions, synthesizing the template');
  // Removes the files of earlier starts. Later this would not be safe: functions load chunks on demand.
  rmSync(folder, { recursive: true, force: true });
  const template = await synthesize(folder, { settings, signal });
  // If a source changed meanwhile, the assembly may have the old source or the new one.
  if (digestOfSources(root, settings) === digest) writeFileSync(digestFile(folder), digest);
  return template;
}

/** Makes the assembly of a running machine anew. Bundles that functions still use stay; the next start makes a clean one. */
export function renewAssembly(folder: string, options: Options): Promise<Template> {
  rmSync(digestFile(folder), { force: true });
  return synthesize(folder, options);
}

/** Digest of all that an assembly of the project in a folder is made of. */
export function digestOfSources(project: string, settings: Settings): string {
  const files = globSync(sources, { cwd: project }).sort();
  const contents = files.map((file) => [file, hash('sha256', readFileSync(join(project, file)))]);
  return hash('sha256', JSON.stringify([process.version, settings, contents]));
}

function storedDigest(folder: string): string | undefined {
  try {
    return readFileSync(digestFile(folder), 'utf8');
  } catch {
    return undefined;
  }
}
