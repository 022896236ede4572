import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Is told every line that a log gets. */
export type NoteLog = (group: string, line: string) => void;

/** The logs: a file for each group, all of them new with each start. What else is in the folder stays, as dead letters. */
export class LogFiles {
  readonly #folder: string;
  readonly #open = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) if (name.endsWith('.log')) rmSync(join(folder, name));
  }

  write(group: string, line: string): void {
    const file = this.#open.get(group) ?? openSync(join(this.#folder, `${group}.log`), 'a');
    this.#open.set(group, file);
    writeSync(file, `${line}\n`);
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }
}
