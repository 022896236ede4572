/** Why a call to AWS failed, on one line. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A failed connection has a code; one to several addresses has no message.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}

/** Whether AWS answered with this error, rather than this program being wrong. */
export const isFromAws = (error: unknown): error is Error => error instanceof Error && '$metadata' in error;
