import { localMessageOf } from './local-error.ts';

/** Tells the person at the terminal, in a line of its own. */
export const say = (sentence: string) => process.stderr.write(`${sentence}\n`);

/** Does what may fail without failing what goes on: then it says why, and returns false. */
export function tryOrReport(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    say(localMessageOf(error));
    return false;
  }
}
