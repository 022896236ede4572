import type { Plugin } from 'esbuild';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';

/**
 * Takes only the used exports of Node.js's own modules, through `process.getBuiltinModule`. An `import` would
 * evaluate every export, and so load unused modules: `node:http` loads undici.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path, kind }) => {
      // `process` has more exports if another process started it. Their letters would change the minified names.
      const isProcess = /^(node:)?process$/.test(path);
      const wantsAll = kind === 'require-call' || kind === 'dynamic-import' || isProcess;
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

/** A module with the builtin's exports, each in a statement that esbuild drops unless it is used. */
function exportsOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default');
  return [
    `const it = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
    'export default it;',
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => it.${name})();`),
  ].join('\n');
}

/** A file of the AWS SDK, by the end of its path, and its replacement. */
interface Replacement {
  file: RegExp;
  contents: string;
}

/** Files of the AWS SDK that load modules which no function needs. */
const replacements: Replacement[] = [
  {
    // Lambda puts the role's credentials into the environment; the SDK's chain of providers is long.
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
    // Every body is text. The SDK loads Node.js's file system to test whether it is a file.
    file: /\/util-body-length\/calculateBodyLength\.js$/,
    contents: `
      export const calculateBodyLength = (body) =>
        typeof body === 'string' ? Buffer.byteLength(body) : body?.byteLength;`,
  },
  {
    // Functions compute no checksum, but the SDK loads zlib for one.
    file: /\/checksum\/crc32\/Crc32Node\.js$/,
    contents: `export { Crc32Js as Crc32Node } from './Crc32Js';`,
  },
];

/** Makes the replacements, and fails the build if the SDK no longer has one of the files. */
const leanSdk: Plugin = {
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

/** Plugins that leave out code which a function does not need on Lambda. */
export const lambdaRuntime: Plugin[] = [builtins, leanSdk];
