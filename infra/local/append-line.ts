import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { notWritten } from './write-atomically.ts';

/** Adds a line to the end of a file, and makes its folder. Adds nothing where there is no room for all of it. @throws LocalError */
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

/** Half a line would spoil the next one. */
function append(descriptor: number, text: string): void {
  const { size } = fstatSync(descriptor);
  try {
    appendFileSync(descriptor, text);
  } catch (error) {
    if (fstatSync(descriptor).size > size) ftruncateSync(descriptor, size);
    throw error;
  }
}
