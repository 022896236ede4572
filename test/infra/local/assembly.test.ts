import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOfSources } from '../../../infra/local/assembly.ts';
import { sourcesVersion } from '../../../infra/local/source-changes.ts';
import { newFolder } from '../../support/new-folder.ts';

const project = newFolder();
const files = [
  'functions/leads/get-lead.ts',
  'shared/core/failure.ts',
  'infra/site/pages.ts',
  'docs/guides/forms.md',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
];
function write(file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
}
for (const file of files) write(file, '1');

test.each(files)('a start and the next request bundle again if %s has another content', (file) => {
  const before = digestOfSources(project, {});
  const version = sourcesVersion(project);
  write(file, 'changed');
  expect(digestOfSources(project, {})).not.toBe(before);
  expect(sourcesVersion(project)).not.toBe(version);
  write(file, '1');
  utimesSync(join(project, file), 0, 0);
  expect(digestOfSources(project, {})).toBe(before);
});

test('a start bundles again if a file is new, or a setting is another', () => {
  const before = digestOfSources(project, {});
  expect(digestOfSources(project, { sms: 'false' })).not.toBe(before);
  write('shared/core/new.ts', '');
  expect(digestOfSources(project, {})).not.toBe(before);
});
