import type { Outcome } from '../function-messages.ts';

/**
 * The lines that one call of a function leaves in its log: what it wrote, and, where it failed, what Lambda writes of
 * that: `<time> <request id> ERROR Invoke Error <error>`, parted by tabs.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html
 */
export function functionLines({ id, output, error }: Outcome, now: number): string[] {
  const written = output.split('\n').filter((line) => line !== '');
  if (!error) return written;
  const { type: errorType, message: errorMessage, stack } = error;
  const thrown = JSON.stringify({ errorType, errorMessage, stack: stack.split('\n') });
  return [...written, [new Date(now).toISOString(), id, 'ERROR', 'Invoke Error ', thrown].join('\t')];
}
