import { expect, inject, test } from 'vitest';

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

test('a browser gets the front page as a page, which lets no script run and loads nothing from elsewhere', async () => {
  const response = await ask('/', asBrowser);
  expect(await response.text()).toContain('<h1>Sales Pipeline Service</h1>');
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/script-src|unsafe|http|\*/);
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

test('every link of every page leads somewhere', async () => {
  const [front, llms] = [await (await ask('/', asBrowser)).text(), await (await ask('/llms.txt')).text()];
  const fromFront = [...front.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!);
  const fromLlms = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => href!);
  const addresses = [...fromFront, ...fromLlms].filter((href) => href.startsWith(baseUrl));
  const bodies = new Map<string, string>();
  const bodyOf = async (address: string) => {
    const known = bodies.get(address);
    if (known !== undefined) return known;
    const response = await ask(address, asBrowser);
    expect([address, response.status]).toEqual([address, 200]);
    const body = await response.text();
    bodies.set(address, body);
    return body;
  };
  const pages = [...new Set(addresses.map((address) => address.replace(/#.*/, '')))].filter(
    (address) => !/openapi$|\.css$/.test(address),
  );
  expect(pages.length).toBeGreaterThan(25);
  const dead: string[] = [];
  for (const page of pages) {
    const body = await bodyOf(page);
    const links = page.endsWith('.md')
      ? [...body.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      : [...body.matchAll(/<a href="(?!https?:)([^"]+)"/g)];
    for (const [, href] of links) {
      const { href: target, hash } = new URL(href!, page);
      const body = await bodyOf(target.replace(/#.*/, ''));
      if (hash !== '' && !page.endsWith('.md') && !body.includes(`id="${decodeURIComponent(hash.slice(1))}"`))
        dead.push(`${page}: ${href}`);
    }
  }
  expect(dead).toEqual([]);
});
