import { parseNamingHead, type NamingHead } from '../../ledger/index.ts';
import { deduplicationOf, type QueueWebhooks } from './message.ts';
import { webhooks } from './webhooks.ts';

/**
 * Queues the webhooks that new heads of organizations name, each once, with the newest version. Reads nothing, so no
 * organization's data can stop it. Returns the number of messages.
 * @param images new images of heads, from records of the table's stream
 */
export async function dispatchWebhooks(images: readonly unknown[], queue: QueueWebhooks): Promise<number> {
  const newest = new Map<string, NamingHead>();
  for (const head of images.map((image) => parseNamingHead(webhooks.name, image)))
    if (head.version > (newest.get(head.organization)?.version ?? 0)) newest.set(head.organization, head);
  const messages = [...newest.values()].flatMap(({ organization, version, numbers }) =>
    numbers.map((webhook) => {
      const message = { organization, webhook, upTo: version };
      return { message, deduplication: deduplicationOf(message) };
    }),
  );
  await queue(messages);
  return messages.length;
}
