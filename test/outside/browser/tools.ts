import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { missingPackages } from '../tools.ts';
import { packages, playwrightOf, type Browser } from './playwright.ts';

/** Name of Debian's package and of its program. */
const program = 'chromium';

/** Finds the browser on the PATH. */
function chromiumOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const noBrowser = `there is no Chromium (${program}) on the PATH: on Debian, install ${program}.`;

/** Says in a sentence which tools are missing. Undefined if they are there. */
export const missingTools = async (): Promise<string | undefined> =>
  chromiumOnPath() === undefined ? noBrowser : missingPackages(packages);

/** Starts the browser without a window. @param folder folder with Playwright */
export function startBrowser(folder: string): Promise<Browser> {
  const executablePath = chromiumOnPath();
  if (executablePath === undefined) throw new Error(noBrowser);
  // Chromium refuses to run with its sandbox as root, as in a container.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return playwrightOf(folder).chromium.launch({ executablePath, args, headless: true });
}
