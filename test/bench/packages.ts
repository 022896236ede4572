import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { LocalError } from '../../infra/local/local-error.ts';

const Package = v.object({ dependencies: v.record(v.string(), v.string()) });

/** Lists the packages of the benchmarks' own package.json that are not installed in this folder. */
export function missingPackages(folder: string = import.meta.dirname): string[] {
  const file = readFileSync(join(folder, 'package.json'), 'utf8');
  const { dependencies } = v.parse(v.pipe(v.string(), v.parseJson(), Package), file);
  return Object.keys(dependencies).filter((name) => !existsSync(join(folder, 'node_modules', name)));
}

/** @throws LocalError that says what to install if a package of the benchmarks is missing */
export function requirePackages(folder?: string): void {
  if (missingPackages(folder).length === 0) return;
  throw new LocalError(
    'The benchmarks have packages of their own, which are not installed: run "npm ci --prefix test/bench".',
  );
}
