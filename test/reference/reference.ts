import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/root.ts';
import { withTables } from './tables.ts';

/** `npm run reference`. */
const file = join(root, 'docs/reference.md');
writeFileSync(file, await withTables(readFileSync(file, 'utf8')));
