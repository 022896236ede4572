import { hash } from 'node:crypto';
import { serveSiteFunction } from '../../shared/contract/site.ts';
import { basePlaceholder as base, unknownPage } from '../../shared/http/site/answer-file.ts';
import type { Contracts } from '../functions.ts';
import { readGuides } from './guides.ts';
import { guideList, guidePage, page, style } from './pages.ts';
import { referencePage, referenceScript, scalarFiles } from './reference-page.ts';

const name = 'Sales Pipeline Service';
const about =
  'An HTTP API for the software of trades businesses: leads, their calls, emails, chats, texts and forms, and everything that ' +
  'the business offers.';
const usage =
  'Every request acts for the organization of its token, which it sends as `Authorization: Bearer <token>`. Bodies and answers are JSON.';

/** The site's files, under the entry of the function that serves them. */
export const siteFilesOf = ({ publicFunctions }: Pick<Contracts, 'publicFunctions'>) =>
  new Map(
    publicFunctions
      .filter(({ definition }) => definition === serveSiteFunction)
      .map(({ entry }) => [entry, siteFiles()]),
  );

/**
 * Makes every file of the site, by its path: pages, the guides as pages and as Markdown, and lists of what there is for programs.
 * The base URL stands in them as a placeholder.
 */
function siteFiles(): ReadonlyMap<string, string> {
  const guides = readGuides().flatMap(([, ofGroup]) => ofGroup);
  const assets = `page-${hash('sha256', style + referenceScript, 'hex').slice(0, 12)}`;
  const text = (title: string, body: string) => page({ title, body: `<main>\n${body}\n</main>` }, assets);
  return new Map([
    [
      'index.html',
      text(
        name,
        `<h1>${name}</h1>
<p>${about} A request acts for the organization of its token.</p>
<dl>
<dt><a href="${base}/docs">Reference</a></dt><dd>Every operation, with examples. Paste a token to try one.</dd>
<dt><a href="${base}/openapi">OpenAPI description</a></dt><dd>The same for programs, such as generators of clients.</dd>
<dt><a href="${base}/docs/agents">Tools for agents</a></dt><dd>A server of the Model Context Protocol, at <code>${base}/mcp</code>.</dd>
<dt><a href="${base}/llms.txt">llms.txt</a></dt><dd>What a language model reads first.</dd>
</dl>
<h2 id="guides">Guides</h2>
<dl>
${guideList(guides)}
</dl>`,
      ),
    ],
    [
      unknownPage,
      text(
        'Not found',
        `<h1>Not found</h1>
<p>There is no page at this address.</p>
<p>Go to <a href="${base}/">the front page</a>, or to <a href="${base}/docs">the reference</a>.</p>`,
      ),
    ],
    ['index.json', JSON.stringify(links(guides.map((guide) => guide.path)))],
    ['docs.html', referencePage(assets)],
    [`docs/${assets}/style.css`, style],
    [`docs/${assets}/reference.js`, referenceScript],
    ...guides.flatMap((guide): [string, string][] => [
      [`docs/${guide.path}.html`, guidePage(guide, assets)],
      [`docs/${guide.path}.md`, guide.markdown],
    ]),
    [
      'llms.txt',
      `# ${name}

> ${about}

${usage}

- [OpenAPI description](${base}/openapi): every operation, field and error, as JSON
- \`${base}/mcp\`: tools for agents, by the Model Context Protocol

## Guides

${guides.map((guide) => `- [${guide.title}](${base}/docs/${guide.path}.md): ${guide.about}`).join('\n')}
`,
    ],
    ['api-catalog', JSON.stringify(catalog)],
    ...scalarFiles(),
  ]);
}

/** The front page for programs. */
const links = (guides: readonly string[]) => ({
  name,
  about,
  openapi: `${base}/openapi`,
  docs: `${base}/docs`,
  mcp: `${base}/mcp`,
  llms: `${base}/llms.txt`,
  guides: guides.map((guide) => `${base}/docs/${guide}.md`),
});

/** Catalogue of the API as a set of links (RFC 9727, RFC 9264). */
const catalog = {
  linkset: [
    {
      anchor: `${base}/`,
      'service-desc': [{ href: `${base}/openapi`, type: 'application/json' }],
      'service-doc': [{ href: `${base}/docs`, type: 'text/html' }],
      'service-meta': [{ href: `${base}/llms.txt`, type: 'text/plain' }],
    },
  ],
};
