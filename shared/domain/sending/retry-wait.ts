import type { System } from '../../core/system.ts';
import { webhookWaits } from '../../core/waits.ts';

/**
 * Milliseconds until the next attempt, after so many failures in a row. The first wait is exact, because the queue
 * keeps it. `retryAfter`: milliseconds that the receiver asks for.
 */
export function waitAfterFailures(
  failures: number,
  retryAfter: number | undefined,
  { random }: Pick<System, 'random'>,
): number {
  const { retries, jitter, retryAfter: longest } = webhookWaits;
  const wait = retries[Math.min(failures, retries.length) - 1] ?? 0;
  const spread = failures === 1 ? wait : wait * (1 + jitter * random());
  return Math.max(spread, Math.min(retryAfter ?? 0, longest));
}
