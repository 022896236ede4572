import { deepStrictEqual, match } from 'node:assert/strict';
import { findContracts } from '../../../infra/functions.ts';
import { patience } from '../../support/patience.ts';
import { runStep } from '../run-step.ts';
import type { Browser, Page } from './playwright.ts';
import type { Service } from './service.ts';

interface Setting {
  service: Service;
  chromium: Browser;
  /** Script of axe. */
  axe: string;
}

/** Tries the site: the reference page with its requests, and the accessibility of the pages that are ours. */
export async function checkSite(setting: Setting): Promise<void> {
  await runStep('The reference page shows every operation, and loads nothing from elsewhere', () =>
    showsOperations(setting),
  );
  await runStep('A lead is created from the reference page with a pasted token', () => createsLead(setting));
  await runStep('A guide is searched, read in JavaScript, and copied from', () => usesGuide(setting));
  await runStep('axe finds nothing on any page, light and dark, and nothing is cut at 360 px', () =>
    checkAccessibility(setting),
  );
}

/**
 * Opens a page of the site with a fresh browser window, and lets something be done there.
 * @throws AssertionError for an error in the console, or a request to another server
 */
async function open(
  { service, chromium }: Setting,
  path: string,
  act: (page: Page) => Promise<void>,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<void> {
  const page = await chromium.newPage({
    colorScheme,
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  page.setDefaultTimeout(patience);
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.baseUrl) && !url.startsWith('data:')) troubles.push(`a request to ${url}`);
  });
  await goTo(page, service, path);
  await act(page);
  await page.close();
  deepStrictEqual(troubles, []);
}

const goTo = (page: Page, service: Service, path: string): Promise<unknown> =>
  page.goto(`${service.baseUrl}${path}`, { waitUntil: /^\/docs(#|$)/.test(path) ? 'networkidle' : 'load' });

async function showsOperations(setting: Setting): Promise<void> {
  const { operations } = await findContracts();
  await open(setting, '/docs', async (page) => {
    // A slow machine may be done with loading before it shows anything.
    await page.locator('[data-sidebar-id]').first().waitFor();
    // Opens every group of the sidebar.
    for (;;) {
      const closed = page.locator('[data-sidebar-id] button[aria-expanded=false]').first();
      if ((await closed.count()) === 0) break;
      await closed.click();
    }
    const shown = (await page.evaluate(
      `[...document.querySelectorAll('[data-sidebar-id] a')].map((link) => decodeURIComponent(link.href))`,
    )) as string[];
    const missing = operations.filter(
      ({ endpoint: { method, path } }) => !shown.some((link) => link.endsWith(`/${method}${path}`)),
    );
    deepStrictEqual(
      missing.map(({ operationId }) => operationId),
      [],
    );
  });
}

async function createsLead(setting: Setting): Promise<void> {
  const [status, body] = await tryIt(setting, 'POST', '/v1/leads');
  deepStrictEqual(status, 201);
  match(body, /"lead":\{"id":"lead_/);
  deepStrictEqual((await tryIt(setting, 'GET', '/v1/leads'))[0], 200);
}

/** Sends the example of an operation of leads from the reference page. Returns the answer's status and body. */
async function tryIt(setting: Setting, method: string, path: string): Promise<[number, string]> {
  let answer: [number, string] | undefined;
  await open(setting, `/docs#tag/leads/${method}${path}`, async (page) => {
    await page.getByPlaceholder('Token').first().fill(setting.service.token);
    await page.getByRole('button', { name: `Test Request (${method.toLowerCase()} ${path})` }).click();
    const [response] = await Promise.all([
      page.waitForResponse((one) => new URL(one.url()).pathname === path),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    answer = [response.status(), await response.text()];
  });
  if (!answer) throw new Error('The page was not opened');
  return answer;
}

/** Finds a guide by the search. Copies a request in JavaScript, which the browser remembers for other pages. */
const usesGuide = (setting: Setting): Promise<void> =>
  open(setting, '/', async (page) => {
    await page.getByRole('searchbox').fill('rotate secr');
    await page.getByRole('link', { name: /^Webhooks: Rotate the secret/ }).click();
    await page.getByRole('button', { name: 'JavaScript' }).first().click();
    const copy = page.getByRole('button', { name: 'Copy' }).first();
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    match(copied, /^const API = '/);
    await page.goto(`${setting.service.baseUrl}/docs/errors`);
    deepStrictEqual(await page.evaluate(`document.documentElement.dataset.form`), 'js');
  });

async function checkAccessibility(setting: Setting): Promise<void> {
  const { guides } = (await (await fetch(setting.service.baseUrl)).json()) as { guides: string[] };
  const pages = ['/', '/docs', ...guides.map((guide) => new URL(guide).pathname.replace(/\.md$/, ''))];
  await findsNothing(setting, pages, 'light');
  // All pages have one style, so three of them show its other colours.
  await findsNothing(setting, pages.slice(0, 3), 'dark');
}

/** Lets axe look at pages in one window. Then makes it as narrow as a telephone, where each page must fit. */
const findsNothing = (setting: Setting, paths: readonly string[], scheme: 'light' | 'dark'): Promise<void> =>
  open(
    setting,
    '/',
    async (page) => {
      for (const path of paths) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await goTo(page, setting.service, path);
        // Playwright evaluates past the page's policy, which lets no such script run.
        const found = await page.evaluate(`${setting.axe}; axe.run().then(({ violations }) => violations.map(
        ({ id, nodes }) => id + ': ' + nodes[0].html))`);
        deepStrictEqual(found, [], `${path}, ${scheme}`);
        await page.setViewportSize({ width: 360, height: 800 });
        const width = await page.evaluate('document.documentElement.scrollWidth');
        deepStrictEqual(width, 360, `${path} is cut at 360 px`);
      }
    },
    scheme,
  );
