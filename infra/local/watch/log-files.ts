import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine } from '../append-line.ts';
import { localMessageOf } from '../local-error.ts';
import { say } from '../say.ts';
import { notWritten } from '../write-atomically.ts';

/** Receives every line of a log. */
export type OnLogLine = (group: string, line: string) => void;

/**
 * Log files, one per group, which each start writes anew. Other files in the folder stay, such as dead
 * letters. Lines that cannot be written are lost; the reason is printed once, and nothing else fails.
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
