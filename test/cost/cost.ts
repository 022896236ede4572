import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/functions.ts';
import { costPage } from './page.ts';

/** Runs `npm run cost`. */
writeFileSync(join(root, 'docs/cost.md'), await costPage());
