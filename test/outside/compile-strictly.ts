import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output } from './commands.ts';

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  types: [],
};

/**
 * Checks the types of files in a folder, by the TypeScript that is installed there.
 *
 * @throws LocalError with `failure` and the compiler's complaints
 */
export async function compileStrictly(
  folder: string,
  files: readonly string[],
  failure: string,
): Promise<void> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  await output(process.execPath, [compiler], { cwd: folder }, failure);
}
