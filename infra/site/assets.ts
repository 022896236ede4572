import { build, transform } from 'esbuild';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../root.ts';
import type { Section } from './browser/search.ts';
import { referenceScript } from './reference-page.ts';

const folder = join(root, 'infra/site');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Styles, scripts and the icon of the pages, in a folder that has their version in its name. */
export interface Assets {
  folder: string;
  /** Content by path on the site. */
  files: [path: string, content: string][];
}

/** Makes the assets. @param sections texts that the search finds */
export async function makeAssets(sections: readonly Section[]): Promise<Assets> {
  const { code: style } = await transform(read('style.css'), { loader: 'css', minify: true });
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['browser/page.ts'],
    define: { SECTIONS: JSON.stringify(sections) },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    outdir: 'out',
    chunkNames: '[name]',
    legalComments: 'none',
    write: false,
  });
  const files: [string, string][] = [
    ['style.css', style],
    ['icon.svg', read('icon.svg').trim()],
    ['reference.js', referenceScript],
    ...outputFiles.map(({ path, text }): [string, string] => [basename(path), text]),
  ];
  const assets = `page-${hash('sha256', JSON.stringify(files), 'hex').slice(0, 12)}`;
  return { folder: assets, files: files.map(([name, content]) => [`docs/${assets}/${name}`, content]) };
}
