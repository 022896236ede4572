import { build, type BuildFailure, type BuildOptions, type Metafile, type OutputFile } from 'esbuild';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { root } from '../functions.ts';
import { lambdaRuntime } from './lambda-runtime.ts';
import { SynthesisError } from '../synthesis-error.ts';

/** Code of one function, ready to be an asset. */
export interface Bundle {
  folder: string;
  /** Hash of all files in the folder. */
  hash: string;
}

/** Folder of the source maps, beside the bundles: a Lambda would not read them. */
const mapFolder = 'maps';

/** Options of esbuild, which the benchmarks share. */
export const bundling = {
  absWorkingDir: root,
  entryNames: '[name]',
  chunkNames: 'chunks/[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  plugins: lambdaRuntime,
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/**
 * Bundles every function in one pass, so that functions share chunks. Each function gets a folder with
 * `index.mjs` and the chunks that it uses. The source maps are in a folder beside those.
 *
 * @param entries function files with distinct names, relative to the project
 * @param folder parent of the bundles' folders, each named after its entry and hash. Existing ones stay
 * @param define names in the source to replace by a text. esbuild would copy any other value into every
 * function
 * @param further files by the entry whose function reads them: content by path. They are in its folder `files`, and no code
 * loads them
 * @returns each function's bundle, by its entry
 * @throws SynthesisError that names the line where a function does not build
 */
export async function bundle(
  entries: readonly string[],
  folder: string,
  define: Record<string, string>,
  further: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(),
): Promise<Map<string, Bundle>> {
  const { contents, metafile, mapOfCode } = await buildWithMaps(entries, define);
  // Most files are in most folders, so each is written once, then hard-linked.
  const written = new Map<string, string>();
  const bundles = new Map<string, Bundle>();
  const maps = join(folder, mapFolder);
  mkdirSync(maps, { recursive: true });
  for (const file of contents.keys()) {
    // An existing bundle gets its maps anew: a changed comment moves lines without changing the code.
    writeFileSync(join(maps, mapOf(file, contents)), mapOfCode(file));
  }
  for (const entry of entries) {
    const name = basename(entry, '.ts');
    const output = `${name}.mjs`;
    const files = [...filesOf(output, metafile)].map((file) => ({
      file,
      inFolder: file === output ? 'index.mjs' : file,
    }));
    const own = further.get(entry) ?? new Map<string, string>();
    const hash = hashOf(files, contents, own);
    const bundle = { folder: join(folder, `${name}-${hash.slice(0, 16)}`), hash };
    bundles.set(entry, bundle);
    if (existsSync(bundle.folder)) continue;
    // The folder gets its name when it is complete, in case this process is killed.
    const unfinished = `${bundle.folder}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(join(unfinished, 'chunks'), { recursive: true });
    for (const { file, inFolder } of files) {
      const first = written.get(file);
      if (first === undefined) writeCode(file, join(unfinished, inFolder), contents, maps);
      else linkOrCopy(first, join(unfinished, inFolder));
      written.set(file, join(bundle.folder, inFolder));
    }
    for (const [path, content] of own) {
      const file = join(unfinished, 'files', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    renameSync(unfinished, bundle.folder);
  }
  return bundles;
}

interface Build {
  /** Every file of code, by its path relative to the project. */
  contents: ReadonlyMap<string, OutputFile>;
  metafile: Metafile;
  /** The source map of a file of code. */
  mapOfCode: (file: string) => Uint8Array;
}

/**
 * Builds twice, with and without source maps. esbuild hashes a source map with its chunk. A comment in one
 * shared file would therefore rename chunks and change the code of every function that imports them.
 */
async function buildWithMaps(entries: readonly string[], define: Record<string, string>): Promise<Build> {
  const options = {
    ...bundling,
    entryPoints: [...entries],
    outdir: root,
    write: false,
    metafile: true,
    define: Object.fromEntries(Object.entries(define).map(([name, text]) => [name, JSON.stringify(text)])),
  } as const satisfies BuildOptions;
  const [code, mapped] = await Promise.all([
    build(options),
    build({ ...options, sourcemap: 'external', sourcesContent: false }),
  ]).catch((error: unknown) => {
    throw isBuildFailure(error) ? new SynthesisError(buildMessageOf(error)) : error;
  });
  const maps = filesByPath(mapped.outputFiles);
  const mapNames = new Map(
    [...maps.keys()]
      .filter((file) => !file.endsWith('.map'))
      .map((file) => [sourcesOf(file, mapped.metafile), `${file}.map`]),
  );
  return {
    contents: filesByPath(code.outputFiles),
    metafile: code.metafile,
    mapOfCode: (file) => outputOf(mapNames.get(sourcesOf(file, code.metafile)) ?? file, maps).contents,
  };
}

const filesByPath = (files: readonly OutputFile[]) =>
  new Map(files.map((file) => [file.path.slice(root.length + 1), file]));

/**
 * Identifies a file of code by its sources: they are the same in both builds, and each source is in one
 * chunk.
 */
const sourcesOf = (file: string, { outputs }: Metafile) =>
  JSON.stringify([outputs[file]?.entryPoint, Object.keys(outputs[file]?.inputs ?? {}).sort()]);

/** Writes a file of code with the path of its source map. */
function writeCode(
  file: string,
  path: string,
  contents: ReadonlyMap<string, OutputFile>,
  maps: string,
): void {
  const map = relative(dirname(path), join(maps, mapOf(file, contents)));
  writeFileSync(path, `${outputOf(file, contents).text}//# sourceMappingURL=${map}\n`);
}

/**
 * Name of a file's source map. The name has the file's hash, since maps of several versions share a folder.
 */
const mapOf = (file: string, contents: ReadonlyMap<string, OutputFile>) =>
  `${basename(file, '.mjs')}-${outputOf(file, contents).hash.replaceAll(/\W/g, '_')}.mjs.map`;

function hashOf(
  files: readonly { file: string; inFolder: string }[],
  contents: ReadonlyMap<string, OutputFile>,
  further: ReadonlyMap<string, string>,
): string {
  const hash = createHash('sha256');
  for (const { file, inFolder } of files) hash.update(`${inFolder} ${contents.get(file)?.hash ?? ''}\n`);
  for (const [path, content] of further) hash.update(`${path} ${content.length}\n${content}`);
  return hash.digest('hex');
}

/** Hard-links a file; copies it if the file system has no links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** The output and every chunk that it imports, statically or dynamically. */
function filesOf(output: string, { outputs }: Metafile, found = new Set<string>()): Set<string> {
  if (found.has(output)) return found;
  found.add(output);
  for (const { path, external } of outputs[output]?.imports ?? []) {
    if (!external) filesOf(path, { inputs: {}, outputs }, found);
  }
  return found;
}

function outputOf(file: string, contents: ReadonlyMap<string, OutputFile>): OutputFile {
  const output = contents.get(file);
  if (!output) throw new Error(`esbuild did not write ${file}`);
  return output;
}

function buildMessageOf({ errors: [first] }: BuildFailure): string {
  const { location, text } = first ?? {};
  const place = location ? `${location.file}:${location.line}:${location.column + 1}` : 'A function';
  return `${place} does not build: ${text ?? 'no reason given'}`;
}

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && 'errors' in error;
