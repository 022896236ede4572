import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

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

/** Says in a sentence why there is no browser. Undefined if there is one. */
export const missingTools = (): string | undefined =>
  chromiumOnPath() === undefined
    ? `there is no Chromium (${program}) on the PATH: on Debian, install ${program}.`
    : undefined;

/** Starts the browser without a window. */
export function startBrowser(): Promise<Browser> {
  const executablePath = chromiumOnPath();
  if (executablePath === undefined) throw new Error(missingTools());
  // Chromium refuses to run with its sandbox as root, as in a container.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args, headless: true });
}
