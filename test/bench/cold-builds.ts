import { build, type BuildOptions, type Plugin } from 'esbuild';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundling } from '../../infra/bundle/bundle.ts';
import { findContracts, root } from '../../infra/functions.ts';
import { builtins, leanSdk } from '../../infra/bundle/lambda-runtime.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';

/** A way to bundle functions, to compare with the deployed way. */
export interface Way {
  name: string;
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
  options: { ...common, format: 'cjs', outExtension: { '.js': '.cjs' }, plugins: [unprimed] },
};

/** `runtime: Runtime.NODEJS_24_X` leaves the SDK to the runtime, here to node_modules. */
export const cdkWithRuntime: Way = {
  name: 'NodejsFunction, runtime given: SDK not bundled',
  options: { ...cdkDefault.options, external: ['@aws-sdk/*', '@smithy/*'] },
};

const deployed = { ...bundling, plugins: [unprimed] };

/** Steps from the defaults to the deployed way, without the call at start. */
export const steps: Way[] = [
  { name: '+ ES modules, minified', options: { ...deployed, splitting: false } },
  { name: '+ split: what is not used at start is apart', options: deployed },
  {
    name: '+ builtins by process.getBuiltinModule',
    options: { ...deployed, plugins: [unprimed, builtins] },
  },
  {
    name: '+ the SDK without what is for other places',
    options: { ...deployed, plugins: [unprimed, builtins, leanSdk] },
  },
];

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

/** Makes a folder for builds whose code finds the project's packages. */
export function buildFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
