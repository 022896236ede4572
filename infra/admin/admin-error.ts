/** An error that the operator can fix. The command prints its message without a stack. */
export class AdminError extends Error {}

/** The reason why a call to AWS failed, on one line. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An error of a failed connection has a code. After several addresses were tried, it has no message.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}

/** True if AWS answered with this error; false if this program is wrong. */
export const isFromAws = (error: unknown): error is Error => error instanceof Error && '$metadata' in error;

/** Runs a file operation. @throws AdminError that says what failed and why */
export function onDisk<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new AdminError(`${what}: ${messageOf(error)}.`);
    throw error;
  }
}
