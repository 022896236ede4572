import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/root.ts';
import { pageFile, withCosts } from './page.ts';

/** Runs `npm run cost`. */
const file = join(root, pageFile);
writeFileSync(file, await withCosts(readFileSync(file, 'utf8')));
