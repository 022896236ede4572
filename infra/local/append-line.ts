import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { notWritten } from './write-atomically.ts';

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
