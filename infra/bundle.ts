import { build, type BuildFailure, type Metafile, type OutputFile } from 'esbuild';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from './endpoints.ts';
import { SynthesisError } from './synthesis-error.ts';

/**
 * Bundles every function in one pass, so that they share what they have in common, and lays each out in a folder of
 * its own: `index.mjs` and the chunks it uses.
 *
 * @param entries function files, relative to the project, of different names
 * @param folder where the folders go, one per entry, named like it
 * @param define names in the source that stand for a text: of anything else, esbuild would put a copy into every function
 * @throws SynthesisError that names the place where a function does not build
 */
export async function bundle(
  entries: readonly string[],
  folder: string,
  define: Record<string, string>,
): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    outdir: root,
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    define: Object.fromEntries(Object.entries(define).map(([name, text]) => [name, JSON.stringify(text)])),
  }).catch((error: unknown) => {
    throw isBuildFailure(error) ? new SynthesisError(sentenceOf(error)) : error;
  });
  const contents = new Map(outputFiles.map((file) => [file.path.slice(root.length + 1), file]));
  for (const entry of entries) {
    const output = `${basename(entry, '.ts')}.mjs`;
    for (const file of filesOf(output, metafile)) {
      write(join(folder, basename(entry, '.ts'), file === output ? 'index.mjs' : file), contents.get(file));
      write(join(folder, basename(entry, '.ts'), `${file}.map`), contents.get(`${file}.map`));
    }
  }
}

/** The output and every chunk that it imports, at once or on demand. */
function filesOf(output: string, { outputs }: Metafile, found = new Set<string>()): Set<string> {
  if (found.has(output)) return found;
  found.add(output);
  for (const { path, external } of outputs[output]?.imports ?? []) {
    if (!external) filesOf(path, { inputs: {}, outputs }, found);
  }
  return found;
}

function write(path: string, file: OutputFile | undefined): void {
  if (!file) throw new Error(`esbuild did not write ${path}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file.contents);
}

function sentenceOf({ errors: [first] }: BuildFailure): string {
  const { location, text } = first ?? {};
  const place = location ? `${location.file}:${location.line}:${location.column + 1}` : 'A function';
  return `${place} does not build: ${text ?? 'no reason given'}`;
}

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && 'errors' in error;
