import { gzipSync } from 'node:zlib';
import { describe, expect, inject, test } from 'vitest';

const baseUrl = inject('baseUrl');
/**
 * Asks for an address, or for a path below the base URL. On a deployed stage the base URL itself has a path.
 */
const ask = (address: string, headers: Record<string, string> = {}) =>
  fetch(address.startsWith('/') ? `${baseUrl}${address}` : address, { headers });

/** Headers of a browser that opens an address. */
const asBrowser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Path, `Content-Type`, and a part of the body, with the base URL as `BASE`. */
const served: [string, string, string][] = [
  ['/', 'application/json', '"docs":"BASE/docs"'],
  ['/docs', 'text/html; charset=utf-8', 'data-base="BASE"'],
  ['/docs/', 'text/html; charset=utf-8', 'data-base="BASE"'],
  ['/docs/forms', 'text/html; charset=utf-8', '<h1 id="forms">Forms</h1>'],
  ['/docs/forms.md', 'text/plain; charset=utf-8', '# Forms\n'],
  ['/docs/reference/leads.md?utm_source=x', 'text/plain; charset=utf-8', '# Leads reference\n'],
  ['/llms.txt', 'text/plain; charset=utf-8', '](BASE/docs/forms.md): '],
  [
    '/.well-known/api-catalog',
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    '"service-desc":[{"href":"BASE/openapi"',
  ],
];

test.each(served)('GET %s is %s, without a token', async (path, type, part) => {
  const response = await ask(path);
  const body = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect(body).toContain(part.replace('BASE', baseUrl));
  expect(body).not.toContain('{{base}}');
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  const again = await ask(path, { 'If-None-Match': response.headers.get('etag')! });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test.each([...served.map(([path]) => path), '/openapi', '/docs/unknown'])(
  'HEAD %s answers as GET does, without a body',
  async (path) => {
    const answers = ['GET', 'HEAD'].map((method) => fetch(`${baseUrl}${path}`, { method }));
    const [got, asked] = await Promise.all(answers);
    const headersOf = (response: Response) =>
      ['content-type', 'cache-control', 'etag', 'vary'].map((name) => response.headers.get(name));
    expect([asked!.status, headersOf(asked!)]).toEqual([got!.status, headersOf(got!)]);
    expect([await asked!.text(), (await got!.text()) === '']).toEqual(['', false]);
  },
);

test.each(['/v2/leads', '/v1/leads/1/2', '/docs/unknown', '/docs/.%2Findex'])(
  'a browser gets a page with a way back for %s, which is not there',
  async (path) => {
    const response = await ask(path, asBrowser);
    const { status, headers } = response;
    const names = ['content-type', 'cache-control', 'content-security-policy'];
    const [type, cache, policy] = names.map((name) => headers.get(name));
    expect([status, type, cache]).toEqual([404, 'text/html; charset=utf-8', 'no-store']);
    expect(policy).toContain("default-src 'none'");
    const body = await response.text();
    expect(body).toContain(`<a href="${baseUrl}/">`);
    expect(body).toContain(`<a href="${baseUrl}/docs">`);
  },
);

test('a browser gets the front page as a page, which loads nothing from elsewhere and runs no script in its text', async () => {
  const response = await ask('/', asBrowser);
  expect(await response.text()).toContain('Sales Pipeline Service</h1>');
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toBe(
    "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(response.headers.get('vary')).toContain('Accept');
});

test('the reference page runs scripts of this origin alone, and has no foreign source', async () => {
  const policy = (await ask('/docs')).headers.get('content-security-policy')!;
  expect(policy).toContain("script-src 'self';");
  expect(policy.replace("style-src 'self' 'unsafe-inline'", '')).not.toMatch(/unsafe|http|\*/);
});

test('what the reference page loads may be kept for good, and its parts are there', async () => {
  const [script = ''] = /(?<=src=")[^"]+(?=")/.exec(await (await ask('/docs')).text()) ?? [];
  const [scalar = ''] = /(?<=from ').*?(?=')/.exec(await (await ask(script)).text()) ?? [];
  const build = new URL(scalar, script).href;
  const code = await (await ask(build)).text();
  const chunks = [...new Set(code.match(/(?<=["'`])\.\/chunks\/[\w.-]+\.js(?=["'`])/g))];
  expect(chunks.length).toBeGreaterThan(5);
  for (const address of [script, build, ...chunks.map((chunk) => new URL(chunk, build).href)]) {
    const response = await ask(address, { 'Accept-Encoding': 'gzip' });
    expect([address, response.status, response.headers.get('cache-control')]).toEqual([
      address,
      200,
      'public, max-age=31536000, immutable',
    ]);
    await response.body?.cancel();
  }
});

/** A page or another file of the site, by its address without an anchor. */
interface Served {
  status: number;
  body: string;
  /** Size in bytes as gzip. */
  size: number;
}

const seen = new Map<string, Promise<Served>>();
const open = (address: string): Promise<Served> => {
  const served = seen.get(address) ?? load(address);
  seen.set(address, served);
  return served;
};

async function load(address: string): Promise<Served> {
  const response = await ask(address, asBrowser);
  const body = await response.text();
  return { status: response.status, body, size: gzipSync(body).length };
}

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('every page', async () => {
  const { guides } = (await (await ask('/')).json()) as { guides: string[] };
  const pages = [`${baseUrl}/`, `${baseUrl}/docs`, ...guides.map((guide) => guide.replace(/\.md$/, ''))];

  test('has links that lead somewhere, also in its Markdown', async () => {
    expect(pages.length).toBeGreaterThan(30);
    const dead: string[] = [];
    for (const page of [...pages, ...guides, `${baseUrl}/llms.txt`, `${baseUrl}/nothing`]) {
      const { body } = await open(page);
      const links = /\.(?:md|txt)$/.test(page)
        ? all(body, /\]\(([^)\s]+)\)/g)
        : all(body, /(?:href|src)="([^"]+)"/g);
      for (const link of links
        .map((one) => new URL(one, page))
        .filter(({ href }) => href.startsWith(baseUrl))) {
        const { status, body } = await open(link.href.replace(/#.*/, ''));
        const anchor = decodeURIComponent(link.hash.slice(1));
        const hasAnchor = anchor === '' || link.pathname.endsWith('.md') || body.includes(`id="${anchor}"`);
        const isThere = status === 200 || (link.hash !== '' && link.href.startsWith(`${page}#`));
        if (!isThere || !hasAnchor) dead.push(`${page}: ${link.href}`);
      }
    }
    expect(dead).toEqual([]);
  });

  test('has a description that no other page has', async () => {
    const served = await Promise.all(pages.map(open));
    const descriptions = served.flatMap(({ body }) =>
      all(body, /<meta name="description" content="([^"]*)">/g),
    );
    expect(descriptions.filter((text) => !/^[A-Z].{38,158}\.$/.test(text))).toEqual([]);
    expect(new Set(descriptions).size).toBe(pages.length);
  });

  test('loads fewer than 60 KB, but for the reference page, and a style of fewer than 10 KB', async () => {
    for (const page of pages.filter((one) => !one.endsWith('/docs'))) {
      const { body, size } = await open(page);
      const parts = all(
        body,
        /<(?:link rel="(?:icon|stylesheet)"[^>]*|script type="module"|img) (?:src|href)="([^"]+)"/g,
      );
      const assets = await Promise.all([...new Set(parts)].map(open));
      expect(assets.length).toBe(3);
      expect(size + assets.reduce((sum, asset) => sum + asset.size, 0), page).toBeLessThan(60_000);
    }
    const [style = ''] = [...seen.keys()].filter((address) => address.endsWith('style.css'));
    expect(Buffer.byteLength((await open(style)).body)).toBeLessThan(10_000);
  });
});
