import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { root } from './functions.ts';

/** The version of the last release, which `npm run release` moves on. It is the version of the API, too. */
export const projectVersion = (): string =>
  v.parse(v.object({ version: v.string() }), JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    .version;
