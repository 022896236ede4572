import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../infra/root.ts';
import { idPrefixes } from '../../shared/core/ids.ts';
import { tablePages, withTables } from './tables.ts';

const read = (page: string) => readFileSync(join(root, page), 'utf8');

test.each(tablePages)('the tables of %s say what the contracts do', async (page) => {
  const isCurrent = read(page) === (await withTables(page, read(page)));
  expect(isCurrent, `${page} is out of date: run "npm run reference"`).toBe(true);
});

test('the prefixes of ids are those of the code', () => {
  const [, prefixes = ''] = /Prefixes: ([^.]+)\./.exec(read('docs/reference/conventions.md')) ?? [];
  expect(prefixes).toBe(idPrefixes.map((prefix) => `\`${prefix}\``).join(', '));
});

test('a table whose markers were lost is named', async () => {
  await expect(withTables('docs/reference/operations.md', '# Operations')).rejects.toThrow(
    'docs/reference/operations.md lacks the markers <!-- operations: written by "npm run reference" --> and ' +
      '<!-- end of operations -->: put them back',
  );
});
