/** Something the person at the terminal can mend: its message is the one sentence they see. */
export class LocalError extends Error {}

/** What to print of an error: one sentence where the person can mend it, all that is known otherwise. */
export function localMessageOf(error: unknown): string {
  if (error instanceof LocalError) return error.message;
  // By its name: this file must load where one that it would import does not.
  if (error instanceof Error && error.name === 'OtherForm') return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
