import type { Part } from '../part.ts';
import { patience } from '../../support/patience.ts';
import { runStep } from '../run-step.ts';
import { installPackages } from '../tools.ts';
import { checkFetched } from './fetched.ts';
import { checkFilledIn } from './filled-in.ts';
import { axeOf, packages } from './playwright.ts';
import { Service } from './service.ts';
import { checkSite } from './site.ts';
import { missingTools, startBrowser } from './tools.ts';
import { Visitor } from './visitor.ts';
import { Website } from './website.ts';

/**
 * Tries docs/guides/forms.md and the site in a real browser. The page's form is pasted into pages of other origins.
 */
export const browser: Part = {
  name: 'browser',
  about: 'fills in the form of the guide, and reads the site and creates a lead there, in Chromium',
  missing: missingTools,
  run: async (folder) => {
    await using opened = new AsyncDisposableStack();
    const keep = <T extends { close(): Promise<void> }>(one: T): T => opened.adopt(one, () => one.close());
    await runStep('Playwright and axe are installed', () => installPackages(packages, folder));
    const service = keep(await runStep('The service is there', () => Service.start()));
    const chromium = keep(await runStep('Chromium is there', () => startBrowser(folder)));
    const page = await chromium.newPage();
    page.setDefaultTimeout(patience);
    const [website, other] = [keep(await Website.open()), keep(await Website.open())];
    const key = await service.issueKey([website.origin]);
    const setting = { service, key, visitor: new Visitor(page), website, other };
    await checkFilledIn(setting);
    await checkFetched(setting);
    await checkSite({ service, chromium, axe: axeOf(folder) });
  },
};
