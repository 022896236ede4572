import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/root.ts';
import { tablePages, withTables } from './tables.ts';

/** `npm run reference`. */
for (const page of tablePages) {
  const file = join(root, page);
  writeFileSync(file, await withTables(page, readFileSync(file, 'utf8')));
}
