import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bundle } from '../../../infra/bundle/bundle.ts';
import { ProjectCopy } from '../../support/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

const entries = [
  'functions/authorizer/authorize.ts',
  'functions/leads/get-lead.ts',
  'functions/leads/create-lead.ts',
];

/** Bundles the copy in a new process, since a process loads a module only once. */
async function bundles(): Promise<Map<string, Bundle>> {
  const script = `
    import { bundle } from './infra/bundle/bundle.ts';
    const bundles = await bundle(${JSON.stringify(entries)}, ${JSON.stringify(join(project.folder, 'out'))}, {});
    process.stdout.write(JSON.stringify([...bundles]));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.folder });
  return new Map(JSON.parse(stdout) as [string, Bundle][]);
}

/** Source map that a bundle's code names. It contains the lines of the sources. */
function mapOf({ folder }: Bundle): string {
  const code = readFileSync(join(folder, 'index.mjs'), 'utf8');
  const [, path] = /\/\/# sourceMappingURL=(\S+)\n$/.exec(code)!;
  return readFileSync(join(dirname(join(folder, 'index.mjs')), path!), 'utf8');
}

test('a comment changes the code of no function, only the source maps', async () => {
  const before = await bundles();
  const authorizer = before.get(entries[0]!)!;
  const mapBefore = mapOf(authorizer);
  const files = ['shared/core/failure.ts', 'shared/ledger/internal/keys.ts', entries[0]!];
  for (const file of files) project.write(file, `// A comment.\n// Another.\n${project.read(file)}`);
  const after = await bundles();
  expect(after).toEqual(before);
  expect(mapOf(authorizer)).not.toBe(mapBefore);
});

test('a change of code changes the functions that have it, and no other', async () => {
  const before = await bundles();
  project.edit('shared/domain/leads/lead-record.ts', "name: 'LEAD'", "name: 'LEAD2'");
  const after = await bundles();
  const changed = entries.filter((entry) => after.get(entry)!.hash !== before.get(entry)!.hash);
  expect(changed).toEqual(entries.slice(1));
  for (const { folder } of after.values()) expect(existsSync(folder)).toBe(true);
});
