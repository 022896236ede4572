import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Bundle } from '../../../infra/bundle/bundle.ts';
import { ProjectCopy } from '../../support/machine/project-copy.ts';

const project = new ProjectCopy();
afterAll(() => project.remove());

const entries = [
  'functions/authorizer/authorize.ts',
  'functions/leads/get-lead.ts',
  'functions/leads/create-lead.ts',
];

/** Bundles the copy, as its files are now. */
async function bundles(): Promise<Map<string, Bundle>> {
  const file = pathToFileURL(join(project.folder, 'infra/bundle/bundle.ts')).href;
  const { bundle } = (await import(file)) as typeof import('../../../infra/bundle/bundle.ts');
  return bundle(entries, join(project.folder, 'out'), {});
}

/** Source map that a bundle's code names. The map contains the lines of the sources. */
function mapOf({ folder }: Bundle): string {
  const code = readFileSync(join(folder, 'index.mjs'), 'utf8');
  const [, path] = /\/\/# sourceMappingURL=(\S+)\n$/.exec(code)!;
  return readFileSync(join(dirname(join(folder, 'index.mjs')), path!), 'utf8');
}

test('a comment changes only the source maps, a change of code the functions that have it, and no other', async () => {
  const before = await bundles();
  const authorizer = before.get(entries[0]!)!;
  const mapBefore = mapOf(authorizer);
  const files = ['shared/core/failure.ts', 'shared/ledger/internal/keys.ts', entries[0]!];
  for (const file of files) project.write(file, `// A comment.\n// Another.\n${project.read(file)}`);
  const commented = await bundles();
  expect(commented).toEqual(before);
  expect(mapOf(authorizer)).not.toBe(mapBefore);

  project.edit('shared/domain/leads/lead-record.ts', "name: 'LEAD'", "name: 'LEAD2'");
  const after = await bundles();
  const changed = entries.filter((entry) => after.get(entry)!.hash !== before.get(entry)!.hash);
  expect(changed).toEqual(entries.slice(1));
  for (const { folder } of after.values()) expect(existsSync(folder)).toBe(true);
});
