import { printableLines } from '../printable.ts';

/** An error that the person at the terminal can fix. Only its message is printed. */
export class LocalError extends Error {}

/** Text to print of an error: its message if the person can fix it, else its stack. */
export const localMessageOf = (error: unknown): string => printableLines(messageOf(error));

function messageOf(error: unknown): string {
  if (error instanceof LocalError) return error.message;
  // Compared by name, because this file must load even if the class's file does not.
  if (error instanceof Error && error.name === 'OtherFormat') return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Prints a sentence to the terminal, on its own line. */
export const say = (sentence: string) => process.stderr.write(`${sentence}\n`);

/** Runs work that may fail without stopping the caller. Prints the error of a failure, and returns false. */
export function tryOrReport(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    say(localMessageOf(error));
    return false;
  }
}
