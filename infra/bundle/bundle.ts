import { build, type BuildFailure, type BuildOptions } from 'esbuild';
import { createHash, hash } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { root } from '../root.ts';
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
 * Bundles every function in one pass, so that functions share chunks. Each function gets a folder with `index.mjs` and
 * the chunks that it uses. The source maps are in a folder beside these folders.
 *
 * @param entries function files with distinct names, relative to the project
 * @param folder parent of the bundles' folders, each named after its entry and hash. Existing folders stay
 * @param define names in the source to replace by a text. esbuild would copy any other value into every
 * function
 * @param further files that a function reads, by the function's entry: content by path. The folder `files` of the
 * function has them, and no code loads them
 * @returns each function's bundle, by its entry
 * @throws SynthesisError that names the line where a function does not build
 */
export async function bundle(
  entries: readonly string[],
  folder: string,
  define: Record<string, string>,
  further: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(),
): Promise<Map<string, Bundle>> {
  const code = await buildCode(entries, define);
  // Most files are in most folders, so each is written once, then hard-linked.
  const written = new Map<string, string>();
  const bundles = new Map<string, Bundle>();
  const maps = join(folder, mapFolder);
  mkdirSync(maps, { recursive: true });
  // An existing bundle gets its maps anew: a changed comment moves lines without changing the code.
  for (const { path, hash, map } of code.values()) writeFileSync(join(maps, mapOf(path, hash)), map);
  for (const entry of entries) {
    const name = basename(entry, '.ts');
    const output = `${name}.mjs`;
    const files = [...filesOf(output, code)].map((file) => ({
      file,
      inFolder: file.path === output ? 'index.mjs' : file.path,
    }));
    const own = further.get(entry) ?? new Map<string, string>();
    const hash = hashOf(files, own);
    const bundle = { folder: join(folder, `${name}-${hash.slice(0, 16)}`), hash };
    bundles.set(entry, bundle);
    if (existsSync(bundle.folder)) continue;
    // The folder gets its name when it is complete, in case this process is killed.
    const unfinished = `${bundle.folder}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(join(unfinished, 'chunks'), { recursive: true });
    for (const { file, inFolder } of files) {
      const first = written.get(file.path);
      if (first === undefined) writeCode(file, join(unfinished, inFolder), maps);
      else linkOrCopy(first, join(unfinished, inFolder));
      written.set(file.path, join(bundle.folder, inFolder));
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

/** A file of code: an entry's, or a chunk. */
interface CodeFile {
  /** Path in a bundle, such as `chunks/chunk-0Zk3xA9q.mjs`. */
  path: string;
  text: string;
  /** Hash of the text. */
  hash: string;
  map: Uint8Array;
  /** Paths of the chunks that it imports, statically or dynamically. */
  imports: readonly string[];
}

/**
 * Builds the code of the entries, by path. esbuild hashes a source map with its chunk. A comment in one shared file would
 * therefore rename chunks and change the code of every function that imports them. So each chunk gets a name made of its sources.
 */
async function buildCode(
  entries: readonly string[],
  define: Record<string, string>,
): Promise<ReadonlyMap<string, CodeFile>> {
  const { outputFiles, metafile } = await build({
    ...bundling,
    entryPoints: [...entries],
    outdir: root,
    write: false,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    define: Object.fromEntries(Object.entries(define).map(([name, text]) => [name, JSON.stringify(text)])),
  }).catch((error: unknown) => {
    throw isBuildFailure(error) ? new SynthesisError(buildMessageOf(error)) : error;
  });
  const built = new Map(outputFiles.map((file) => [file.path.slice(root.length + 1), file]));
  const outputs = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith('.map'));
  const names = new Map(
    outputs.map(([path, { entryPoint, inputs }]) => {
      const sources = JSON.stringify([entryPoint, Object.keys(inputs).sort()]);
      return [path.match(chunkHash)?.[0], sha256(sources, 'base64url').slice(0, 8)];
    }),
  );
  // As long as the name before, so that the columns of the source maps stay true.
  const renamed = (text: string) => text.replaceAll(chunkHash, (found) => names.get(found) ?? found);
  const files = outputs.map(([path, { imports }]): CodeFile => {
    const text = renamed(outputOf(path, built).text);
    return {
      path: renamed(path),
      text,
      hash: sha256(text),
      map: outputOf(`${path}.map`, built).contents,
      imports: imports.filter(({ external }) => !external).map(({ path }) => renamed(path)),
    };
  });
  const code = new Map(files.map((file) => [file.path, file]));
  if (code.size < files.length) throw new Error('Two chunks of esbuild have the same sources');
  return code;
}

/** Hash in the name of a chunk, as esbuild writes it. */
const chunkHash = /(?<=-)[A-Z2-7]{8}(?=\.mjs\b)/g;

const sha256 = (text: string, encoding: 'hex' | 'base64url' = 'hex') => hash('sha256', text, encoding);

/** Writes a file of code with the path of its source map. */
function writeCode({ path, text, hash }: CodeFile, file: string, maps: string): void {
  const map = relative(dirname(file), join(maps, mapOf(path, hash)));
  writeFileSync(file, `${text}//# sourceMappingURL=${map}\n`);
}

/**
 * Name of a file's source map. The name has the file's hash, because maps of several versions share a folder.
 */
const mapOf = (path: string, hash: string) => `${basename(path, '.mjs')}-${hash.slice(0, 16)}.mjs.map`;

function hashOf(
  files: readonly { file: CodeFile; inFolder: string }[],
  further: ReadonlyMap<string, string>,
): string {
  const hash = createHash('sha256');
  for (const { file, inFolder } of files) hash.update(`${inFolder} ${file.hash}\n`);
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

/** The file and every chunk that it imports, directly or through other chunks. */
function filesOf(
  path: string,
  code: ReadonlyMap<string, CodeFile>,
  found = new Set<CodeFile>(),
): Set<CodeFile> {
  const file = outputOf(path, code);
  if (found.has(file)) return found;
  found.add(file);
  for (const chunk of file.imports) filesOf(chunk, code, found);
  return found;
}

function outputOf<File>(path: string, files: ReadonlyMap<string, File>): File {
  const file = files.get(path);
  if (!file) throw new Error(`esbuild did not write ${path}`);
  return file;
}

function buildMessageOf({ errors: [first] }: BuildFailure): string {
  const { location, text } = first ?? {};
  const place = location ? `${location.file}:${location.line}:${location.column + 1}` : 'A function';
  return `${place} does not build: ${text ?? 'no reason given'}`;
}

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && 'errors' in error;
