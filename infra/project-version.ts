import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { root } from './root.ts';

/** Version of the last release and of the API. `npm run release` raises it. */
export const projectVersion = (): string =>
  v.parse(v.object({ version: v.string() }), JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    .version;

/**
 * Version before the next release: `1.1.0-dev` after 1.0.3. The next release may also be a patch or a major
 * one.
 */
export const developmentVersion = (released: string): string =>
  released.replace(
    /^(\d+)\.(\d+)\..*$/,
    (_, major: string, minor: string) => `${major}.${Number(minor) + 1}.0-dev`,
  );
