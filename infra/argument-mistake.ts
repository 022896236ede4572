/** Returns the first sentence of the error that Node.js's `parseArgs` threw, without the full stop. */
export function argumentMistake(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
  return reason.replace(/\.$/, '');
}
