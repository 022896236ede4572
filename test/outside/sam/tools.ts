import { join } from 'node:path';
import { installPackages, missingPython } from '../python.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

/** Why the SAM CLI cannot be had here, in a sentence; undefined where it can. */
export const missingTools = (): Promise<string | undefined> => missingPython('the SAM CLI');

/** Installs the SAM CLI into an empty folder. Returns where its programs are. */
export const installTools = (folder: string): Promise<string> =>
  installPackages(folder, requirements, 'the SAM CLI');
