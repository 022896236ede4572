import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine, notWritten } from './files.ts';
import type { Outcome } from './functions/function-messages.ts';
import { localMessageOf, say } from './local-error.ts';

/** Receives every line of a log. */
export type OnLogLine = (group: string, line: string) => void;

/**
 * Logs of CloudWatch, as one file per group, which each start writes anew. Other files in the folder stay,
 * such as dead letters. Lines that cannot be written are lost. The reason is printed once, and no other work
 * fails.
 */
export class Logs {
  readonly #folder: string;
  readonly #onLine: OnLogLine;
  readonly #said = new Set<string>();
  #stopped = false;

  constructor(folder: string, onLine: OnLogLine = () => undefined) {
    this.#folder = folder;
    this.#onLine = onLine;
    this.#try(() => {
      removeLogs(folder);
    });
  }

  /** Writes the lines of one log. */
  write(group: string, ...lines: string[]): void {
    // A function that still runs while the machine ends is no longer logged.
    if (this.#stopped) return;
    for (const line of lines) {
      this.#try(() => {
        appendLine(join(this.#folder, `${group}.log`), line);
      });
      this.#onLine(group, line);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  #try(change: () => void): void {
    try {
      change();
    } catch (error) {
      const sentence = `${localMessageOf(error)}. Until the file can be written, its lines are lost; requests go on.`;
      if (!this.#said.has(sentence)) say(sentence);
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

/**
 * Log lines of one function call: its own output and, if it failed, Lambda's line about the error. That line
 * is `<time> <request id> ERROR Invoke Error <error>`, separated by tabs.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html
 */
export function functionLines({ id, output, error }: Outcome, now: number): string[] {
  const written = output.split('\n').filter((line) => line !== '');
  if (!error) return written;
  const { type: errorType, message: errorMessage, stack } = error;
  const thrown = JSON.stringify({ errorType, errorMessage, stack: stack.split('\n') });
  return [...written, [new Date(now).toISOString(), id, 'ERROR', 'Invoke Error ', thrown].join('\t')];
}
