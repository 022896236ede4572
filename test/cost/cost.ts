import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/root.ts';
import { withCosts } from './page.ts';

/** Runs `npm run cost`. */
for (const [page, text] of Object.entries(await withCosts())) writeFileSync(join(root, page), text);
