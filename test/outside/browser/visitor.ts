import type { Page, Response } from 'playwright-core';
import type { Website } from './website.ts';

/** What is filled in, by the names of the inputs. */
export type Typed = Record<string, string>;

/** Somebody with a browser, who visits websites. */
export class Visitor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens a website's first page, into which this was pasted. */
  async visits(website: Website, pasted = ''): Promise<void> {
    website.paste(pasted);
    await this.page.goto(website.origin);
  }

  /** Fills in the page's form and sends it. Tells how that was answered, when the page after it is there. */
  async sends(typed: Typed): Promise<Response> {
    for (const [name, text] of Object.entries(typed)) await this.page.fill(`[name=${name}]`, text);
    const [answer] = await Promise.all([
      this.page.waitForResponse((response) => response.request().method() === 'POST'),
      this.page.waitForEvent('load'),
      this.page.click('form button'),
    ]);
    return answer;
  }

  /** What the page that is open now says. */
  reads(): Promise<string> {
    return this.page.innerText('body');
  }

  /** Does what a script of the page would do, and tells what that came to. */
  runs(script: string): Promise<unknown> {
    return this.page.evaluate(script);
  }
}
