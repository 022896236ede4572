/** What is wrong with arguments, as Node.js's `parseArgs` threw it: its first sentence, without the full stop. */
export function argumentMistake(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
  return reason.replace(/\.$/, '');
}
