import { build, type BuildOptions, type Plugin } from 'esbuild';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundling } from '../../infra/bundle/bundle.ts';
import { findContracts, root } from '../../infra/functions.ts';
import { builtins, leanSdk } from '../../infra/bundle/lambda-runtime.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';

/** A way to bundle functions, to compare with the deployed way. */
export interface Way {
  name: string;
  /** Label in the plot. */
  short: string;
  options: BuildOptions;
}

/** Removes the awaited call of a function's start: CommonJS has no top-level await. */
const unprimed: Plugin = {
  name: 'unprimed',
  setup(build) {
    build.onLoad({ filter: /\/shared\/http\/table\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(/^await store\.warmUp\(\);$/m, '');
      if (contents === source) throw new Error(`${path} does not call warmUp() any more`);
      return { contents, loader: 'ts' };
    });
  },
};

/** Leaves `import()` to node_modules, as split code would be left in a chunk. */
const onDemand: Plugin = {
  name: 'on-demand',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  logLevel: 'silent',
} as const;

/**
 * CDK's `NodejsFunction` with an entry alone: CommonJS, not minified, the SDK bundled from its `main` files.
 */
export const cdkDefault: Way = {
  name: 'NodejsFunction, no options',
  short: 'default',
  options: { ...common, format: 'cjs', outExtension: { '.js': '.cjs' }, plugins: [unprimed] },
};

/** `runtime: Runtime.NODEJS_24_X` leaves the SDK to the runtime, here to node_modules. */
export const cdkWithRuntime: Way = {
  name: 'NodejsFunction, runtime given: SDK not bundled',
  short: 'SDK apart',
  options: { ...cdkDefault.options, external: ['@aws-sdk/*', '@smithy/*'] },
};

const deployed = { ...bundling, plugins: [unprimed] };

/** Steps from the defaults to the deployed way, without the call at start. */
export const steps: Way[] = [
  { name: '+ ES modules, minified', short: 'ES modules', options: { ...deployed, splitting: false } },
  { name: '+ split: what is not used at start is apart', short: 'split', options: deployed },
  {
    name: '+ builtins by process.getBuiltinModule',
    short: 'builtins',
    options: { ...deployed, plugins: [unprimed, builtins] },
  },
  {
    name: '+ the SDK without what is for other places',
    short: 'lean SDK',
    options: { ...deployed, plugins: [unprimed, builtins, leanSdk] },
  },
];

/** Options of a single script, for a code cache. */
const script: BuildOptions = {
  ...deployed,
  splitting: false,
  format: 'cjs',
  plugins: [unprimed, onDemand, builtins, leanSdk],
};

/** Bundles entries in one way, into a folder beside the project's packages. Returns the file of each. */
export async function buildFunctions(
  entries: readonly string[],
  { name, options }: Pick<Way, 'name' | 'options'>,
  folder: string,
): Promise<Map<string, string>> {
  const outdir = join(folder, name.replaceAll(/\W+/g, '-'));
  const extension = options.outExtension?.['.js'] ?? '.js';
  const document = JSON.stringify(openApiDocument(await findContracts()));
  const define = { OPEN_API_DOCUMENT: JSON.stringify(document) };
  await build({ ...options, define, entryPoints: [...entries], entryNames: '[name]', outdir });
  return new Map(entries.map((entry) => [entry, join(outdir, `${basename(entry, '.ts')}${extension}`)]));
}

/** Bundles a module given as text, as `NodejsFunction` does by default. Returns its file. */
export async function buildText(name: string, contents: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.cjs`);
  await build({ ...common, format: 'cjs', stdin: { contents, resolveDir: root }, outfile });
  return outfile;
}

/**
 * Builds a function as one script with V8's cache of its compiled code. A run with `MAKE_CODE_CACHE` makes
 * the cache. Node.js accepts a cache of the same build of V8 alone.
 */
export async function buildWithCodeCache(entry: string, folder: string): Promise<string> {
  const way = { name: 'code-cache', options: { ...script, outExtension: { '.js': '.cjs' } } };
  const file = (await buildFunctions([entry], way, folder)).get(entry)!;
  writeFileSync(
    `${file}.mjs`,
    `
const [vm, fs, { createRequire }] = ['vm', 'fs', 'module'].map(process.getBuiltinModule);
const code = \`(function (exports, require, module) {\${fs.readFileSync(${JSON.stringify(file)}, 'utf8')}\\n})\`;
const cache = ${JSON.stringify(`${file}.cache`)};
const make = process.env.MAKE_CODE_CACHE;
const options = { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
const script = new vm.Script(code, { ...options, ...(!make && { cachedData: fs.readFileSync(cache) }) });
if (script.cachedDataRejected) throw new Error('The code cache was not made by this Node.js');
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(import.meta.url), module);
export const handler = async (event, context) => {
  const answer = await module.exports.handler(event, context);
  if (make) fs.writeFileSync(cache, script.createCachedData());
  return answer;
};
`,
  );
  return `${file}.mjs`;
}

/** Makes a folder for builds whose code finds the project's packages. */
export function buildFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
