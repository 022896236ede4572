import { Marked } from 'marked';
import { escaped } from '../../shared/http/forms/pages.ts';
import { basePlaceholder } from '../../shared/http/site/answer-file.ts';
import type { Guide } from './guides.ts';

/** Style of the site's own pages, in the colours that the reader's system prefers. The reference page has Scalar's below the links. */
export const style = `
:root{color-scheme:light dark;--text:#1a1a1a;--dim:#555;--page:#fff;--box:#f4f4f4;--line:#ddd;--link:#0b57d0}
@media(prefers-color-scheme:dark){:root{--text:#eee;--dim:#b0b0b0;--page:#161616;--box:#242424;--line:#3a3a3a;--link:#8ab4f8}}
body{margin:0;font:1.0625rem/1.6 system-ui,sans-serif;color:var(--text);background:var(--page)}
.site{display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:center;min-height:3rem;padding:0 1.25rem;border-bottom:1px solid var(--line);font-size:.9375rem}
.site a{color:var(--text);text-decoration:none}.site a:first-child{font-weight:600}.site a:hover{text-decoration:underline}
.text main{max-width:48rem;margin:0 auto;padding:1.5rem 1.25rem 4rem;overflow-wrap:break-word}
.text h1{font-size:2rem;line-height:1.2;margin:1rem 0}.text h2{font-size:1.375rem;margin:2.5rem 0 .75rem}.text h3{font-size:1.125rem;margin:2rem 0 .5rem}
.text main a{color:var(--link)}.text dt{font-weight:600}.text dd{margin:0 0 .75rem;color:var(--dim)}
.text code,.text pre{font:.875em/1.5 ui-monospace,Menlo,Consolas,monospace}.text code{background:var(--box);border-radius:3px;padding:.1em .25em}
.text pre{background:var(--box);border-radius:6px;padding:.875rem 1rem;overflow-x:auto}.text pre code{background:none;padding:0;font-size:1em}
.table{overflow-x:auto}.text table{border-collapse:collapse;font-size:.9375rem}.text th,.text td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
.reference{--scalar-custom-header-height:3rem}.reference .site{position:sticky;top:0;z-index:100;height:3rem;overflow:hidden;background:var(--page)}
`.trim();

/** Page of the site. @param assets folder of its style and script @param kind class of its body */
export const page = (
  { title, body, head = '', kind = 'text' }: { title: string; body: string; head?: string; kind?: string },
  assets: string,
): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePlaceholder}/docs/${assets}/style.css">
${head}</head>
<body class="${kind}">
<nav class="site" aria-label="Site">
<a href="${basePlaceholder}/">Sales Pipeline Service</a>
<a href="${basePlaceholder}/docs">Reference</a>
<a href="${basePlaceholder}/#guides">Guides</a>
<a href="${basePlaceholder}/openapi">OpenAPI</a>
</nav>
${body}
</body>
</html>
`;

/** Page of a guide, or of the reference as a text. */
export const guidePage = ({ title, markdown }: Guide, assets: string): string =>
  page({ title, body: `<main>\n${htmlOf(markdown)}</main>` }, assets);

/** Lists guides as terms with their first sentences. */
export const guideList = (guides: readonly Guide[]): string =>
  guides
    .map(
      ({ path, title, about }) =>
        `<dt><a href="${basePlaceholder}/docs/${path}">${escaped(title)}</a></dt><dd>${escaped(about)}</dd>`,
    )
    .join('\n');

/**
 * HTML of Markdown. Links to other guides lead to their pages; parts that may be wider than the screen can be scrolled
 * by keys.
 */
function htmlOf(markdown: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(href.replace(/\.md(?=#|$)/, ''))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    },
    hooks: {
      postprocess: (html) =>
        html
          .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
          .replaceAll('</table>', '</table></div>'),
    },
  });
  return marked.parse(markdown, { async: false });
}

/** Anchor of a heading, as GitHub makes it: the links in `docs` rely on it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
