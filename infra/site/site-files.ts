import { serveSiteFunction } from '../../shared/contract/site.ts';
import { basePlaceholder as base, unknownPage } from '../../shared/http/site/answer-file.ts';
import type { Contracts } from '../functions.ts';
import { makeAssets } from './assets.ts';
import { frontPage, siteAbout } from './front-page.ts';
import { guidePage, sectionsOf } from './guide-page.ts';
import { readGuides, type GuideGroup } from './guides.ts';
import { layOut, siteName, type Frame, type Operator } from './layout.ts';
import { referencePage, scalarFiles } from './reference-page.ts';

const usage =
  'Every request acts for the organization of its token, which it sends as `Authorization: Bearer <token>`. Bodies and answers are JSON.';

/** The site's files, under the entry of the function that serves them. */
export async function siteFilesOf(
  contracts: Contracts,
  operator: Operator,
): Promise<Map<string, ReadonlyMap<string, string>>> {
  const files = await siteFiles(contracts, operator);
  return new Map(
    contracts.publicFunctions
      .filter(({ definition }) => definition === serveSiteFunction)
      .map(({ entry }) => [entry, files]),
  );
}

/**
 * Makes every file of the site, by its path: pages, the guides as pages and as Markdown, and lists of what there is for programs.
 * The base URL stands in them as a placeholder.
 */
async function siteFiles(contracts: Contracts, operator: Operator): Promise<ReadonlyMap<string, string>> {
  const groups = readGuides(contracts);
  const guides = groups.flatMap((group) => group.guides);
  const assets = await makeAssets(guides.flatMap(sectionsOf));
  const frame = { assets: assets.folder, operator };
  return new Map([
    ['index.html', frontPage(groups, frame)],
    [unknownPage, notFoundPage(frame)],
    ['index.json', JSON.stringify(links(groups, operator))],
    ['docs.html', referencePage(frame)],
    ...guides.flatMap((guide): [string, string][] => [
      [`docs/${guide.path}.html`, guidePage(guide, groups, frame)],
      [`docs/${guide.path}.md`, guide.markdown],
    ]),
    ['llms.txt', listForModels(groups)],
    ['api-catalog', JSON.stringify(catalog)],
    ...assets.files,
    ...scalarFiles(),
  ]);
}

const notFoundPage = (frame: Frame): string =>
  layOut(
    {
      title: 'Not found',
      about: 'There is no page at this address.',
      kind: 'text front',
      body: `<main id="main" tabindex="-1">
<h1>Not found</h1>
<p>There is no page at this address. Search above, or go on from here:</p>
<ul>
<li><a href="${base}/">The front page</a> has all guides.</li>
<li><a href="${base}/docs">The reference</a> has every operation.</li>
</ul>
</main>`,
    },
    frame,
  );

const listForModels = (groups: readonly GuideGroup[]): string => `# ${siteName}

> ${siteAbout}

${usage}

- [OpenAPI description](${base}/openapi): every operation, field and error, as JSON
- \`${base}/mcp\`: tools for agents, by the Model Context Protocol
${groups.map(({ title, guides }) => `\n## ${title}\n\n${guides.map((guide) => `- [${guide.title}](${base}/docs/${guide.path}.md): ${guide.about}\n`).join('')}`).join('')}`;

/** The front page for programs. */
const links = (groups: readonly GuideGroup[], { operatorName, supportUrl }: Operator) => ({
  name: siteName,
  about: siteAbout,
  operator: operatorName,
  support: supportUrl,
  openapi: `${base}/openapi`,
  docs: `${base}/docs`,
  mcp: `${base}/mcp`,
  llms: `${base}/llms.txt`,
  guides: groups.flatMap(({ guides }) => guides.map(({ path }) => `${base}/docs/${path}.md`)),
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
