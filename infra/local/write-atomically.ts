import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from './local-error.ts';

/**
 * Writes a file, or writes it anew. It is never half written, however the process ends, and not changed if this fails.
 * @throws LocalError
 */
export function writeAtomically(file: string, text: string): void {
  const draft = `${file}.draft`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** A file that the person at the terminal has to look after, such as on a disk that is full. */
export const notWritten = (file: string, error: unknown) =>
  new LocalError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
