import { build, transform, type Plugin } from 'esbuild';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const page = await bundled('page');
  const search = await bundled('search', { SECTIONS: JSON.stringify(sections) });
  const files: [string, string][] = [
    ['style.css', style],
    ['icon.svg', read('icon.svg').trim()],
    ['reference.js', referenceScript],
    ['page.js', page],
    ['search.js', search],
  ];
  const assets = `page-${hash('sha256', JSON.stringify(files), 'hex').slice(0, 12)}`;
  return { folder: assets, files: files.map(([name, content]) => [`docs/${assets}/${name}`, content]) };
}

/** Leaves the search out of the page's script, which loads the search at its first use. */
const searchApart: Plugin = {
  name: 'search-apart',
  setup: (build) => {
    build.onResolve({ filter: /^\.\/search\.ts$/ }, () => ({ path: './search.js', external: true }));
  },
};

/** A script of the pages. */
async function bundled(name: 'page' | 'search', define: Record<string, string> = {}): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [`browser/${name}.ts`],
    define,
    plugins: [searchApart],
    bundle: true,
    minify: true,
    format: 'esm',
    legalComments: 'none',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}
