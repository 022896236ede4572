import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
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

/**
 * Appends a line to a file, and creates its folder. Writes nothing if the disk has no room for the whole
 * line.
 * @throws LocalError
 */
export function appendLine(file: string, line: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const descriptor = openSync(file, 'a');
    try {
      append(descriptor, `${line}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Removes a line that was written in part, which would spoil the next one. */
function append(descriptor: number, text: string): void {
  const { size } = fstatSync(descriptor);
  try {
    appendFileSync(descriptor, text);
  } catch (error) {
    if (fstatSync(descriptor).size > size) ftruncateSync(descriptor, size);
    throw error;
  }
}
