import { strictEqual } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { output } from '../commands.ts';

const Checks = v.pipe(v.string(), v.parseJson(), v.array(v.object({ id: v.string(), status: v.string() })));

/** Failed checks of each scenario that was run. */
export type Failures = ReadonlyMap<string, readonly string[]>;

/**
 * Runs all scenarios that a revision of the protocol requires of servers.
 * @param folder folder with the suite
 */
export async function runConformance(folder: string, url: string, revision: string): Promise<Failures> {
  const results = join(folder, `results-${revision}-${new URL(url).port}`);
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [program, 'server', '--url', url, '--requirements', revision, '--output-dir', results];
  // The suite ends with an error if a scenario fails, and the results say which scenario.
  await output(process.execPath, args, {}, 'The suite was stopped').catch(() => undefined);
  const files = globSync('server-*/checks.json', { cwd: results });
  strictEqual(files.length > 25, true, `The suite ran ${files.length} scenarios of ${revision} alone`);
  return new Map(
    files.map((file) => {
      const [, scenario = ''] = /^server-(.*)-\d{4}-\d\d-\d\dT[^/]*\//.exec(file) ?? [];
      const checks = v.parse(Checks, readFileSync(join(results, file), 'utf8'));
      return [scenario, checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)];
    }),
  );
}
