import { localMessageOf } from './local-error.ts';

/** Prints a sentence to the terminal, on a line of its own. */
export const say = (sentence: string) => process.stderr.write(`${sentence}\n`);

/** Runs work whose failure must not stop the caller. Prints the error of a failure, and returns false. */
export function tryOrReport(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    say(localMessageOf(error));
    return false;
  }
}
