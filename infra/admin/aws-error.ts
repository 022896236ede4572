/** Why a call to AWS failed, on one line. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An address that does not answer has a code, and for several at once no message.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}

/** Whether an error came from AWS as an answer, rather than from a mistake in this program. */
export const isFromAws = (error: unknown): error is Error => error instanceof Error && '$metadata' in error;
