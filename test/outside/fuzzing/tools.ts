import { join } from 'node:path';
import { installPackages, missingPython } from '../python.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

/** Says in a sentence why Schemathesis cannot be installed. Undefined if it can. */
export const missingTools = (): Promise<string | undefined> => missingPython('Schemathesis', 11);

/** Installs Schemathesis into an empty folder. Returns the folder of its programs. */
export const installTools = (folder: string): Promise<string> =>
  installPackages(folder, requirements, 'Schemathesis');
