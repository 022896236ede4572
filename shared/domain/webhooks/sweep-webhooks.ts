import type { OrganizationCode } from '../../core/ids.ts';
import { deduplicationOf, type QueueWebhooks } from './message.ts';

/** Number of webhooks that are queued together. */
const together = 100;

/**
 * Queues webhooks that are due: to try again, or to see whether a change of their organization was missed. The queue
 * drops a repeat of a message within the same minute. Returns the number of webhooks.
 */
export async function sweepWebhooks(
  due: AsyncIterable<{ organization: OrganizationCode; webhook: number }>,
  queue: QueueWebhooks,
  now: number,
): Promise<number> {
  const minute = new Date(now).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
  let count = 0;
  let messages: Parameters<QueueWebhooks>[0][number][] = [];
  for await (const { organization, webhook } of due) {
    const message = { organization, webhook, upTo: 0 };
    messages.push({ message, deduplication: deduplicationOf(message, minute) });
    count++;
    if (messages.length < together) continue;
    await queue(messages);
    messages = [];
  }
  await queue(messages);
  return count;
}
