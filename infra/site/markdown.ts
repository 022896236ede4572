import { Marked } from 'marked';
import { basePlaceholder } from '../../shared/http/site/answer-file.ts';
import { escaped } from '../../shared/http/forms/pages.ts';
import { curlOf, isCurl, javaScriptOf } from './requests.ts';

/** Heading of a page, with its anchor. */
export interface Heading {
  depth: number;
  id: string;
  /** Text in HTML. */
  text: string;
}

/** A page's Markdown as HTML, and its headings below the title. */
export interface Rendered {
  html: string;
  headings: Heading[];
}

/**
 * Makes HTML of a page's Markdown. A request gets a second form in JavaScript. Parts that may be wider than the screen
 * can be scrolled by keys. "(extension)" becomes a badge.
 */
export function render(markdown: string): Rendered {
  const headings: Heading[] = [];
  const anchors = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }) {
        const text = this.parser.parseInline(tokens);
        const anchor = anchorOf(source);
        const times = anchors.get(anchor) ?? 0;
        anchors.set(anchor, times + 1);
        const id = times === 0 ? anchor : `${anchor}-${times}`;
        if (depth === 1) return `<h1 id="${id}">${text}</h1>\n`;
        headings.push({ depth, id, text });
        const label = escaped(`Link to ${plain(text)}`);
        return `<h${depth} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(pageOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code: ({ text, lang }) => codeOf(text, lang),
      table({ header, rows }) {
        const heads = header.map(({ tokens }) => this.parser.parseInline(tokens));
        const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
        const body = rows.map((cells) => {
          const row = cells.map(({ tokens }, at) => {
            const label = escaped(plain(heads[at] ?? ''));
            return `<td data-label="${label}">${this.parser.parseInline(tokens)}</td>`;
          });
          return `<tr>${row.join('')}</tr>\n`;
        });
        return `<div class="table" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('')}</tbody>\n</table></div>\n`;
      },
    },
    hooks: {
      postprocess: (html) => html.replaceAll('(extension)', '<span class="badge">extension</span>'),
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}

/** Names of the languages that blocks of code have. */
const languages: Readonly<Record<string, string>> = {
  go: 'Go',
  html: 'HTML',
  http: 'HTTP',
  java: 'Java',
  js: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  sh: 'Shell',
  sql: 'SQL',
};

/** A block of code. A request is in curl, and in JavaScript after that. */
export function codeOf(text: string, language = ''): string {
  const javaScript = javaScriptOf(text);
  const pre = (code: string, attribute = '') =>
    `<pre tabindex="0"${attribute}><code>${escaped(code)}</code></pre>\n`;
  if (javaScript === undefined)
    return `<div class="code" data-language="${languages[language] ?? ''}">${pre(text)}</div>\n`;
  return `<div class="code request">${pre(isCurl(text) ? curlOf(text) : text, ' data-form="curl"')}${pre(javaScript, ' data-form="js"')}</div>\n`;
}

/** Address of the page whose Markdown an address leads to. Other addresses stay. */
const pageOf = (href: string) => (href.startsWith(basePlaceholder) ? href.replace(/\.md(?=#|$)/, '') : href);

/** Text of HTML, without its marks. */
export const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** Anchor of a heading, as GitHub makes it: the links in `docs` rely on it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
