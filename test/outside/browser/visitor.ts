import type { Page, Response } from './playwright.ts';
import type { Website } from './website.ts';

/** Values to fill in, by the names of the inputs. */
export type Typed = Record<string, string>;

/** A person with a browser who visits websites. */
export class Visitor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens a website's first page, with this HTML pasted into it. */
  async visits(website: Website, pasted = ''): Promise<void> {
    website.paste(pasted);
    await this.page.goto(website.origin);
  }

  /** Fills in the page's form and sends it. Returns the answer once the next page is loaded. */
  async sends(typed: Typed): Promise<Response> {
    for (const [name, text] of Object.entries(typed)) await this.page.fill(`[name=${name}]`, text);
    const [answer] = await Promise.all([
      this.page.waitForResponse((response) => response.request().method() === 'POST'),
      this.page.waitForEvent('load'),
      this.page.click('form button'),
    ]);
    return answer;
  }

  /** Returns the text of the open page. */
  reads(): Promise<string> {
    return this.page.innerText('body');
  }

  /** Runs a script in the page, and returns its result. */
  runs(script: string): Promise<unknown> {
    return this.page.evaluate(script);
  }
}
