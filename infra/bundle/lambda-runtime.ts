import type { Plugin } from 'esbuild';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';

/**
 * Takes Node.js's own modules through `process.getBuiltinModule`, and of each what is used and no more. An `import` of
 * one would make Node.js look at all it exports, which loads what nobody uses: with `node:http` comes undici.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path, kind }) => {
      const wantsAll = kind === 'require-call' || kind === 'dynamic-import';
      return {
        path,
        namespace: wantsAll ? 'whole-builtin' : 'builtin',
        sideEffects: false,
      };
    });
    build.onLoad({ filter: /.*/, namespace: 'whole-builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: exportsOf(path) }));
  },
};

/** A module that exports what the builtin does, each by a statement that esbuild leaves out unless it is used. */
function exportsOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default');
  return [
    `const it = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
    'export default it;',
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => it.${name})();`),
  ].join('\n');
}

/** A part of the AWS SDK, by the end of its file's path, and what a function needs of it. */
interface Replacement {
  file: RegExp;
  contents: string;
}

/** What the AWS SDK has for other places, or for other services, and would load for nothing. */
const replacements: Replacement[] = [
  {
    // Lambda gives a function its role's credentials in its environment; the SDK's chain of providers is long.
    file: /\/credential-provider-node\/dist-es\/index\.js$/,
    contents: `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  },
  {
    // There is no ~/.aws: all settings are in the environment.
    file: /\/shared-ini-file-loader\/readFile\.js$/,
    contents: `
      export const fileIntercept = {};
      export const filePromises = {};
      export const readFile = () => Promise.reject(new Error('A function has no configuration files'));`,
  },
  {
    // What is sent is text. The SDK would ask of each body whether it is a file, with all of Node.js's code for files.
    file: /\/util-body-length\/calculateBodyLength\.js$/,
    contents: `
      export const calculateBodyLength = (body) =>
        typeof body === 'string' ? Buffer.byteLength(body) : body?.byteLength;`,
  },
  {
    // No checksum is computed, and zlib is loaded only to have one ready.
    file: /\/checksum\/crc32\/Crc32Node\.js$/,
    contents: `export { Crc32Js as Crc32Node } from './Crc32Js';`,
  },
];

/** Leaves out of the AWS SDK what functions never use: where else it would look for credentials, and the like. */
export const leanSdk: Plugin = {
  name: 'lean-sdk',
  setup(build) {
    const missing = new Set(replacements);
    for (const replacement of replacements) {
      build.onLoad({ filter: replacement.file }, ({ path }) => {
        missing.delete(replacement);
        return { contents: replacement.contents, resolveDir: dirname(path) };
      });
    }
    build.onEnd(({ metafile }) => {
      const hasSdk = Object.keys(metafile?.inputs ?? {}).some((input) => input.includes('/client-dynamodb/'));
      const errors = [...missing].map(({ file }) => ({
        text: `the AWS SDK has no ${String(file)} any more: see what takes its place, in infra/bundle/lambda-runtime.ts`,
      }));
      return hasSdk ? { errors } : {};
    });
  },
};

/** What a bundle can take for granted on Lambda, so that it loads nothing for other places. */
export const lambdaRuntime: Plugin[] = [builtins, leanSdk];
