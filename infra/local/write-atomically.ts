import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from './local-error.ts';

/**
 * Writes a file, or replaces it. The file is never half written, however the process ends, and stays
 * unchanged if this fails.
 * @throws LocalError
 */
export function writeAtomically(file: string, text: string): void {
  const temporary = `${file}.draft`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Error for a file that cannot be written, for example on a full disk. */
export const notWritten = (file: string, error: unknown) =>
  new LocalError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
