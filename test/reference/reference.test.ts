import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../infra/root.ts';
import { idPrefixes } from '../../shared/core/ids.ts';
import { withTables } from './tables.ts';

test('the tables of docs/reference.md say what the contracts do', async () => {
  const reference = readFileSync(join(root, 'docs/reference.md'), 'utf8');
  const isCurrent = reference === (await withTables(reference));
  expect(isCurrent, 'docs/reference.md is out of date: run "npm run reference"').toBe(true);
});

test('the prefixes of ids are those of the code', () => {
  const reference = readFileSync(join(root, 'docs/reference.md'), 'utf8');
  const [, prefixes = ''] = /Prefixes: ([^.]+)\./.exec(reference) ?? [];
  expect(prefixes).toBe(idPrefixes.map((prefix) => `\`${prefix}\``).join(', '));
});

test('a table whose markers were lost is named', async () => {
  await expect(withTables('# Reference')).rejects.toThrow(
    'docs/reference.md lacks the markers <!-- operations: written by "npm run reference" --> and ' +
      '<!-- end of operations -->: put them back',
  );
});
