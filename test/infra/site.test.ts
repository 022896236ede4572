import { describe, expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { searchIn, type Found } from '../../infra/site/browser/search.ts';
import { sectionsOf } from '../../infra/site/guide-page.ts';
import { readGuides } from '../../infra/site/guides.ts';
import { withMadeParts } from '../../infra/site/made-parts.ts';
import { javaScriptOf } from '../../infra/site/requests.ts';
import { siteFilesOf } from '../../infra/site/site-files.ts';

const operator = { operatorName: 'Harbour & Söhne', supportUrl: 'https://harbour.example/help?a=1&b=2' };
const contracts = await findContracts();
const [files] = (await siteFilesOf(contracts, operator)).values();

test.each(['index.html', 'not-found.html', 'docs/forms.html'])(
  '%s names the operator, and links to its support',
  (path) => {
    const page = files!.get(path);
    expect(page).toContain('Sales Pipeline Service, run by Harbour &amp; Söhne');
    expect(page).toContain(
      '<a href="https://harbour.example/help?a=1&amp;b=2">Ask Harbour &amp; Söhne for help</a>',
    );
  },
);

test.each([
  ['operations', '## Webhooks\n\n| Operation | Request | Scope | Success | Also |\n'],
  ['operations', '| `deleteFaq` (extension) | `DELETE /v1/faqs/{faqId}` | `faqs:write` | 200 | 404 |\n'],
  ['tokens', '| `sms` | – | `sendSms` | – |\n'],
  ['tokens', '| ADMIN, OWNER | every scope | `acceptInvitation` |\n'],
  ['enumerations', '| pricing type | `NONE`, `FIXED`, `RANGE` | How a product is priced: '],
  ['events', '| `LEAD_STATUS_CHANGED` | lead | Status changed from … to … |\n'],
  ['conventions', 'Prefixes: `lead`, `user`, '],
])('the page of %s has what the site makes of the contracts', (page, part) => {
  expect(files!.get(`docs/reference/${page}.md`)).toContain(part);
});

test('a mark without a part is named', () => {
  expect(() => withMadeParts('docs/reference/leads.md', 'Here: _made by the site: leads_', {})).toThrow(
    'docs/reference/leads.md has the mark _made by the site: leads_: infra/site/made-parts.ts makes no leads',
  );
});

describe('a request in JavaScript', () => {
  test.each([
    ['curl -s "$API/v1/leads?limit=1"', 'response = await fetch(`${API}/v1/leads?limit=1`);'],
    ["curl -X DELETE 'https://a.example/it`s'", "method: 'DELETE',"],
    [
      `curl "$API" -H 'Content-Type: application/json' -d '{"a":"'"$LEAD"'","b":'$ID',"c":[true]}'`,
      'body: JSON.stringify({ a: `${LEAD}`, b: ID, c: [true] }),',
    ],
    [
      `curl "$API" -d name="Zoe O'Hart" -d to=x`,
      "body: new URLSearchParams({ name: \"Zoe O'Hart\", to: 'x' }),",
    ],
    ['curl "$API/v1/receptionist?format=text"', 'await response.text()'],
    [
      'API=https://a.example\nTOKEN=sk_live_…',
      "const API = 'https://a.example';\nconst TOKEN = 'sk_live_…';\nlet response;",
    ],
  ])('of %s', (code, part) => {
    expect(javaScriptOf(code)).toContain(part);
  });

  test('of an option that the site does not know is refused', () => {
    expect(() => javaScriptOf('curl --retry 5 "$API"')).toThrow(
      'The site cannot show "curl --retry" in JavaScript',
    );
    expect(javaScriptOf('curl "$API" > file')).toBeUndefined();
  });
});

describe('the search', () => {
  const search = searchIn(readGuides(contracts).flatMap(({ guides }) => guides.flatMap(sectionsOf)));

  test.each<[query: string, first: Partial<Found>]>([
    ['webhooks', { path: 'webhooks' }],
    ['how to rotate a secr', { path: 'webhooks#rotate-the-secret' }],
    ['idempotncy', { path: 'idempotency' }],
    [
      'U+FFFD',
      {
        path: 'reference/forms#forms',
        part: ['… or else the host of the website. Content is never refused. ', 'U+FFFD', expect.any(String)],
      },
    ],
  ])('finds %s', (query, first) => {
    expect(search(query)[0]).toMatchObject(first);
  });

  test('finds nothing for a word that no page has, or for small words alone', () => {
    expect([...search('zzzz'), ...search('how to')]).toEqual([]);
  });
});
