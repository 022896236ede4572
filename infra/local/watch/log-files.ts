import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine } from '../append-line.ts';
import { localMessageOf } from '../local-error.ts';
import { say } from '../say.ts';
import { notWritten } from '../write-atomically.ts';

/** Is told every line that a log gets. */
export type OnLogLine = (group: string, line: string) => void;

/**
 * The logs: a file for each group, all of them new with each start. What else is in the folder stays, as dead letters. Lines that
 * cannot be written are lost: that is told once for each cause, and fails nothing.
 */
export class LogFiles {
  readonly #folder: string;
  readonly #say: (sentence: string) => void;
  readonly #said = new Set<string>();

  constructor(folder: string, tell: (sentence: string) => void = say) {
    this.#folder = folder;
    this.#say = tell;
    this.#try(() => {
      removeLogs(folder);
    });
  }

  write(group: string, line: string): void {
    this.#try(() => {
      appendLine(join(this.#folder, `${group}.log`), line);
    });
  }

  #try(change: () => void): void {
    try {
      change();
    } catch (error) {
      const sentence = `${localMessageOf(error)}. Until it can, what it should have is lost; requests go on.`;
      if (!this.#said.has(sentence)) this.#say(sentence);
      this.#said.add(sentence);
    }
  }
}

/** @throws LocalError */
function removeLogs(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) if (name.endsWith('.log')) rmSync(join(folder, name));
  } catch (error) {
    throw notWritten(folder, error);
  }
}
