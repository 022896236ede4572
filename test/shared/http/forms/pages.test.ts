import { describe, expect, test } from 'vitest';
import { pageResponse, wantsPage } from '../../../../shared/http/forms/pages.ts';

describe('a page', () => {
  test('shows its sentences as text, and never as HTML', () => {
    const text = `<script>"it's" & </p>`;
    const { statusCode, body } = pageResponse(400, {
      title: text,
      sentences: [text, 'More.'],
      site: `https://x'"><b>.example`.replaceAll(/[<>"']/g, '-'),
    });
    expect(statusCode).toBe(400);
    const shown = '&lt;script&gt;&quot;it&#39;s&quot; &amp; &lt;/p&gt;';
    expect(body).toContain(`<title>${shown}</title>`);
    expect(body).toContain(`<h1>${shown}</h1>\n<p>${shown}</p>\n<p>More.</p>\n<p><a href="https://`);
    expect(body.match(/<script|it's/g)).toBeNull();
  });

  test('has no link if the site of the form is not known', () => {
    expect(pageResponse(201, { title: 'Thank you', sentences: [], site: undefined }).body).not.toContain(
      '<a',
    );
  });
});

test.each([
  ['text/html', true],
  ['application/xhtml+xml, TEXT/HTML;level=1;q=0.2', true],
  ['text/html; q=0.000', false],
  ['text/html, application/json;q=0', true],
  ['text/*', false],
  ['', false],
  [undefined, false],
])('who asks for %s is a browser: %s', (accept, isBrowser) => {
  expect(wantsPage(accept)).toBe(isBrowser);
});
