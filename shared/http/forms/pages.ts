import { hash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** Content of a page for a person who has sent a form. */
export interface PageContent {
  title: string;
  sentences: readonly string[];
  /** Site that the form is on. */
  site: string | undefined;
}

const style =
  'body{margin:0 auto;max-width:34rem;padding:3rem 1.25rem;font:1.125rem/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;' +
  'overflow-wrap:break-word}' +
  'h1{font-size:1.75rem;line-height:1.25;margin:0 0 1rem}a{color:#0b57d0}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}a{color:#8ab4f8}}';

/**
 * Headers of a page. A page may load only its own style: no script, image or form. The page's address has the key, so
 * the address is not sent to the site as referrer.
 */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
    "base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Response for a browser. */
export const pageResponse = (statusCode: number, content: PageContent): APIGatewayProxyResult => ({
  statusCode,
  headers,
  body: pageOf(content),
});

const pageOf = ({ title, sentences, site }: PageContent): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escaped(title)}</h1>`,
    ...sentences.map((sentence) => `<p>${escaped(sentence)}</p>`),
    ...(site === undefined
      ? []
      : [`<p><a href="${escaped(site)}/">Back to ${escaped(new URL(site).host)}</a></p>`]),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, also within quotes of either kind. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

/**
 * True if the sender of this `Accept` is a browser that shows the response (RFC 9110, section 12.5.1). A
 * client that names JSON as well can read both, and gets JSON.
 */
export function wantsPage(accept = ''): boolean {
  const wanted = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
  });
  return wanted.includes('text/html') && !wanted.includes('application/json');
}
