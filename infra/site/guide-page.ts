import { escaped } from '../../shared/http/forms/pages.ts';
import { basePlaceholder as base } from '../../shared/http/site/answer-file.ts';
import type { Section } from './browser/search.ts';
import type { Guide, GuideGroup } from './guides.ts';
import { layOut, type Frame } from './layout.ts';
import { plain } from './markdown.ts';

/** Page of a guide: the groups of guides, the guide, and its headings. */
export function guidePage(guide: Guide, groups: readonly GuideGroup[], frame: Frame): string {
  const { html, headings } = guide;
  const all = groups.flatMap(({ guides }) => guides);
  const next = all[all.findIndex(({ path }) => path === guide.path) + 1];
  const contents = headings.map(
    ({ depth, id, text }) =>
      `<li><a href="#${id}"${depth > 2 ? ' class="deep"' : ''}>${text.replaceAll(/<\/?(?:a|code)[^>]*>/g, '')}</a></li>\n`,
  );
  return layOut(
    {
      title: guide.title,
      about: guide.about,
      kind: 'text guide',
      current: '/#guides',
      body: `<div class="frame">
<main id="main" tabindex="-1">
${withContents(html, contents)}${next ? `<p>Next: <a href="${base}/docs/${next.path}">${escaped(next.title)}</a></p>\n` : ''}</main>
<nav class="side" aria-label="Guides">
${groups.map((group) => groupLinks(group, guide)).join('')}</nav>
${contents.length > 1 ? `<nav class="toc" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${contents.join('')}</ul>\n</nav>\n` : ''}</div>`,
    },
    frame,
  );
}

/** A guide with its headings below the title, for windows without room beside the text. */
const withContents = (html: string, contents: readonly string[]): string =>
  contents.length > 2
    ? html.replace(
        '</h1>\n',
        `</h1>\n<details class="contents">\n<summary>On this page</summary>\n<ul>\n${contents.join('')}</ul>\n</details>\n`,
      )
    : html;

function groupLinks({ title, guides }: GuideGroup, current: Guide): string {
  const links = guides.map((guide) => {
    const mark = guide.path === current.path ? ' aria-current="page"' : '';
    return `<li><a href="${base}/docs/${guide.path}"${mark}>${escaped(guide.title)}</a></li>\n`;
  });
  return `<h2>${escaped(title)}</h2>\n<ul>\n${links.join('')}</ul>\n`;
}

/** Parts of a guide that the search finds, from one heading to the next. */
export function sectionsOf({ path, title, html, headings }: Guide): Section[] {
  const parts = html.split(/<h[23456] id="[^"]*">.*<\/h[23456]>\n/);
  return parts.map((part, at) => {
    const heading = headings[at - 1];
    const blocks = [...part.matchAll(/<pre tabindex="0"(?: data-form="curl")?>([^]*?)<\/pre>/g)];
    return {
      path: heading ? `${path}#${heading.id}` : path,
      title,
      heading: plain(heading?.text ?? ''),
      text: textOf(part.replaceAll(/<h1.*<\/h1>|<pre[^]*?<\/pre>/g, '')),
      code: textOf(blocks.map(([, code]) => code).join('\n')),
    };
  });
}

/** Text of HTML on one line. The base URL is left out. */
const textOf = (html: string): string =>
  plain(html.replaceAll(/<span class="badge">.*?<\/span>/g, '').replaceAll(/<\/(?:td|th|p|li)>/g, ' '))
    .replaceAll(base, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
