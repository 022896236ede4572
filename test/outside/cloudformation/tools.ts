import { join } from 'node:path';
import { installPackages, missingPython } from '../python.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

/** Why the tools cannot be had here, in a sentence; undefined where they can. */
export const missingTools = (): Promise<string | undefined> => missingPython('the emulator of AWS');

/** Installs the tools into an empty folder. Returns where their programs are. */
export const installTools = (folder: string): Promise<string> =>
  installPackages(folder, requirements, 'the emulator of AWS and cfn-lint');
