import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/root.ts';
import { operationTable, withCosts } from './page.ts';

/** Runs `npm run cost`: prints the costs of each operation, and writes the pages. */
process.stdout.write(await operationTable());
for (const [page, text] of Object.entries(await withCosts())) writeFileSync(join(root, page), text);
