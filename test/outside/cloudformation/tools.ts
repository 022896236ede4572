import { join } from 'node:path';
import { installPackages, missingPython } from '../python.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

/** Says in a sentence why the tools cannot be installed. Undefined if they can. */
export const missingTools = (): Promise<string | undefined> => missingPython('the emulator of AWS');

/** Installs the tools into an empty folder. Returns the folder of their programs. */
export const installTools = (folder: string): Promise<string> =>
  installPackages(folder, requirements, 'the emulator of AWS and cfn-lint');
