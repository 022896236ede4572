import type { Outcome } from '../function-messages.ts';

/**
 * Log lines of one function call: its own output and, if it failed, Lambda's line about the error: `<time>
 * <request id> ERROR Invoke Error <error>`, separated by tabs.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html
 */
export function functionLines({ id, output, error }: Outcome, now: number): string[] {
  const written = output.split('\n').filter((line) => line !== '');
  if (!error) return written;
  const { type: errorType, message: errorMessage, stack } = error;
  const thrown = JSON.stringify({ errorType, errorMessage, stack: stack.split('\n') });
  return [...written, [new Date(now).toISOString(), id, 'ERROR', 'Invoke Error ', thrown].join('\t')];
}
