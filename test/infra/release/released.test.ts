import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { releasedFile } from '../../../infra/open-api/open-api.ts';
import { projectVersion } from '../../../infra/project-version.ts';
import { formatReleased, readReleased } from '../../../infra/release/released.ts';

test('the last release is the same in the changelog, the package and the kept description', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, released] = /^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(changelog) ?? [];
  expect(projectVersion()).toBe(released);
  expect(readReleased().info.version).toBe(released);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages['']!.version]).toEqual([released, released]);
});

test('the kept description is formatted as the project is', async () => {
  const kept = readFileSync(join(root, releasedFile), 'utf8');
  expect(await formatReleased(JSON.parse(kept) as object)).toBe(kept);
});
