import { escaped } from '../../shared/http/forms/pages.ts';
import { basePlaceholder as base } from '../../shared/http/site/answer-file.ts';
import type { Guide, GuideGroup } from './guides.ts';
import { layOut, siteName, type Frame } from './layout.ts';
import { codeOf } from './markdown.ts';

/** Sentence that says what the service is. */
export const siteAbout =
  'One API for the leads of a trades business: take leads in, follow them through the pipeline, and answer their calls.';

/** The front page: what the API is, a request to try, the ways to use it, and all guides. */
export const frontPage = (groups: readonly GuideGroup[], frame: Frame): string =>
  layOut(
    {
      title: siteName,
      about: siteAbout,
      kind: 'text front',
      body: `<main id="main" tabindex="-1">
<h1>${siteName}</h1>
<p class="lead">${siteAbout}</p>
<h2>Make a lead</h2>
<p>An owner of your organization gives you a token. Keep the token with the address of the API:</p>
${codeOf(`API=${base}\nTOKEN=sk_live_…`)}<p>This request stores a lead. The answer is shortened:</p>
<div class="pair">
${firstRequest(groups)}</div>
<p><a href="${base}/docs/first-integration">A first integration</a> goes on from here. If a request fails, <a href="${base}/docs/errors">Errors</a> says why.</p>
<h2>Ways to use it</h2>
<div class="cards">
${groups
  .filter(({ isWayIn }) => isWayIn)
  .map(wayIn)
  .join('')}</div>
<h2 id="guides">Guides</h2>
<div class="groups">
${groups.slice(0, -1).map(groupList).join('')}</div>
${groups.slice(-1).map(subjects).join('')}<h2>For programs</h2>
<dl>
<dt><a href="${base}/docs">Reference</a></dt><dd>Every operation, with a form to try it.</dd>
<dt><a href="${base}/openapi">OpenAPI description</a></dt><dd>The same for generators of clients.</dd>
<dt><a href="${base}/llms.txt">llms.txt</a></dt><dd>The guides, listed for language models.</dd>
</dl>
</main>`,
    },
    frame,
  );

const link = ({ path, title }: Guide) => `<a href="${base}/docs/${path}">${escaped(title)}</a>`;

const wayIn = ({ title, about, guides }: GuideGroup): string => `<section>
<h3>${escaped(title)}</h3>
<p>${escaped(about)}</p>
<ul>
${guides
  .slice(0, 2)
  .map((guide) => `<li>${link(guide)}</li>\n`)
  .join('')}</ul>
</section>
`;

const groupList = ({ title, guides }: GuideGroup): string => `<section>
<h3>${escaped(title)}</h3>
<dl>
${guides.map((guide) => `<dt>${link(guide)}</dt><dd>${escaped(guide.about)}</dd>\n`).join('')}</dl>
</section>
`;

const subjects = ({ title, about, guides }: GuideGroup): string => `<h2>${escaped(title)}</h2>
<p>${escaped(about)}</p>
<ul class="subjects">
${guides.map((guide) => `<li>${link(guide)}</li>\n`).join('')}</ul>
`;

/** The first request of the guides that stores something, with its answer. */
function firstRequest(groups: readonly GuideGroup[]): string {
  const first = groups[0]?.guides[0]?.markdown ?? '';
  const found = /^```sh\n(curl [^`]*-d [^`]*?)\n```\n+```json\n([^`]*?)\n```/m.exec(first);
  if (!found) throw new Error('The first guide has no request with an answer for the front page');
  const [, request = '', answer = ''] = found;
  return codeOf(request) + codeOf(answer, 'json');
}
