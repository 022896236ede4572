import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { basePlaceholder } from '../../shared/http/site/answer-file.ts';
import { page } from './pages.ts';

/** Root of Scalar's package. Its build for browsers needs none of its dependencies, which `overrides` of package.json leaves out. */
const scalar = join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), '..');

const { version } = v.parse(
  v.object({ version: v.string() }),
  JSON.parse(readFileSync(join(scalar, 'package.json'), 'utf8')),
);

/** Folder of Scalar's files on the site. */
const scalarFolder = `scalar-${version}`;

/** Scalar's settings. Everything that would ask another server is off. */
const settings = {
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  theme: 'default',
  orderSchemaPropertiesBy: 'preserve',
  defaultOpenFirstTag: true,
  authentication: { preferredSecurityScheme: 'bearer' },
};

/** Script of the reference page. */
export const referenceScript = `import { createApiReference } from '../${scalarFolder}/standalone.esm.js';
const { base } = document.querySelector('#reference').dataset;
createApiReference('#reference', { ...${JSON.stringify(settings)}, url: base + '/openapi' });
`;

/** The reference page, which shows the served description and sends requests to the same origin. */
export const referencePage = (assets: string): string =>
  page(
    {
      title: 'Reference of the Sales Pipeline Service',
      kind: 'reference',
      head: `<script type="module" src="${basePlaceholder}/docs/${assets}/reference.js"></script>\n`,
      body: `<div id="reference" data-base="${basePlaceholder}"></div>
<noscript>This page needs JavaScript. <a href="${basePlaceholder}/docs/reference">The reference as a text</a> does not.</noscript>`,
    },
    assets,
  );

/** Files of Scalar's ES-module build for browsers, by their paths on the site. */
export const scalarFiles = (): [string, string][] => {
  const folder = join(scalar, 'dist/browser');
  return ['standalone.esm.js', ...globSync('chunks/*.js', { cwd: folder }).sort()].map((file) => [
    `docs/${scalarFolder}/${file}`,
    // The source maps are left out: they are four times as large.
    readFileSync(join(folder, file), 'utf8').replace(/\/\/# sourceMappingURL=\S+\s*$/, ''),
  ]);
};
