import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { basePlaceholder } from '../../shared/http/site/answer-file.ts';
import { layOut, type Frame } from './layout.ts';

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
  // The header has the colours that the reader's system prefers.
  hideDarkModeToggle: true,
  theme: 'default',
  orderSchemaPropertiesBy: 'preserve',
  defaultOpenFirstTag: true,
  authentication: { preferredSecurityScheme: 'bearer' },
};

/**
 * Script of the reference page. Scalar leaves some buttons without a name, and gives others a name that is not their
 * text, so the script mends the names for readers who hear them.
 */
export const referenceScript = `import { createApiReference } from '../${scalarFolder}/standalone.esm.js';
const { base } = document.documentElement.dataset;
// Links of the description are relative to the address without a slash at its end.
if (location.pathname.endsWith('/')) history.replaceState(null, '', location.pathname.slice(0, -1) + location.hash);
createApiReference('#reference', { ...${JSON.stringify(settings)}, url: base + '/openapi' });
const nameButtons = () => {
  for (const button of document.querySelectorAll('.scalar-code-copy')) button.ariaLabel = 'Copy';
  for (const button of document.querySelectorAll('.show-more')) button.removeAttribute('aria-label');
};
new MutationObserver(nameButtons).observe(document.body, { childList: true, subtree: true });
`;

/** The reference page, which shows the served description and sends requests to the same origin. */
export const referencePage = (frame: Frame): string =>
  layOut(
    {
      title: 'Reference',
      about:
        'Every operation of the API with its fields, answers and errors, and a form to try each with your token.',
      kind: 'reference',
      current: '/docs',
      script: 'reference.js',
      body: `<div id="main"><div id="reference"></div></div>
<noscript>This page needs JavaScript. <a href="${basePlaceholder}/docs/reference/operations">The list of operations</a> does not.</noscript>`,
    },
    frame,
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
