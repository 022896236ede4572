import { join } from 'node:path';
import { installPackages, missingPython } from '../python.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

/** Says in a sentence why the SAM CLI cannot be installed. Undefined if it can. */
export const missingTools = (): Promise<string | undefined> => missingPython('the SAM CLI');

/** Installs the SAM CLI into an empty folder. Returns the folder of its programs. */
export const installTools = (folder: string): Promise<string> =>
  installPackages(folder, requirements, 'the SAM CLI');
