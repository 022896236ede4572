import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file, or writes it anew. It is never half written, however the process ends. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
