import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../infra/root.ts';

test('every page that the code cites is there', () => {
  const pages = new Set(globSync(['*.md', 'docs/**/*.md'], { cwd: root }));
  const cited = globSync('{functions,infra,shared,test}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?<![./\w-])(?:docs\/[\w/-]+|[A-Z]+)\.md\b/g)].map(
      ([page]) => ({ file, page }),
    ),
  );
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ page }) => !pages.has(page))).toEqual([]);
});
