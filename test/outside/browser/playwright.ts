import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, type Packages } from '../tools.ts';

export const packages: Packages = {
  from: import.meta.dirname,
  one: 'playwright-core',
  called: 'the packages of Playwright and axe',
};

/** Methods of Playwright that are used. */
export interface Chromium {
  launch: (options: object) => Promise<Browser>;
}

export interface Browser {
  newPage: (options?: object) => Promise<Page>;
  close: () => Promise<void>;
}

export interface Page {
  setDefaultTimeout: (milliseconds: number) => void;
  goto: (url: string, options?: { waitUntil: 'load' | 'networkidle' }) => Promise<unknown>;
  on(event: 'console', listener: (message: ConsoleMessage) => void): unknown;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
  on(event: 'request', listener: (request: Request) => void): unknown;
  waitForEvent(event: 'console'): Promise<ConsoleMessage>;
  waitForEvent(event: 'load'): Promise<unknown>;
  waitForResponse: (isMeant: (response: Response) => boolean) => Promise<Response>;
  /** Evaluates a script in the page. */
  evaluate: (script: string) => Promise<unknown>;
  url: () => string;
  content: () => Promise<string>;
  innerText: (selector: string) => Promise<string>;
  isVisible: (selector: string) => Promise<boolean>;
  fill: (selector: string, text: string) => Promise<void>;
  click: (selector: string) => Promise<void>;
  setInputFiles: (
    selector: string,
    file: { name: string; mimeType: string; buffer: Buffer },
  ) => Promise<void>;
  locator: (selector: string) => Locator;
  getByPlaceholder: (text: string) => Locator;
  getByRole: (role: string, options?: { name: string | RegExp }) => Locator;
  setViewportSize: (size: { width: number; height: number }) => Promise<void>;
  close: () => Promise<void>;
}

interface Locator {
  first: () => Locator;
  count: () => Promise<number>;
  waitFor: () => Promise<void>;
  click: () => Promise<void>;
  fill: (text: string) => Promise<void>;
}

interface ConsoleMessage {
  type: () => string;
  text: () => string;
}

interface Request {
  url: () => string;
  method: () => string;
  headers: () => Record<string, string>;
}

export interface Response {
  request: () => Request;
  url: () => string;
  status: () => number;
  text: () => Promise<string>;
  headerValue: (name: string) => Promise<string | null>;
}

/** Starts of browsers, and axe's script, of the packages in a folder. */
export const playwrightOf = (folder: string) => load(folder, 'playwright-core') as { chromium: Chromium };
export const axeOf = (folder: string) =>
  readFileSync(join(folder, 'node_modules/axe-core/axe.min.js'), 'utf8');
