import { deepStrictEqual } from 'node:assert';
import { Webhook } from 'standardwebhooks';
import * as v from 'valibot';
import { startWebhookReceiver } from '../../support/machine/webhook-receiver.ts';

const Created = v.object({ webhook: v.object({ id: v.number() }), secret: v.string() });
const Sent = v.object({ type: v.string(), data: v.object({ record: v.object({ firstName: v.string() }) }) });

/**
 * Proves that a webhook sends events to a receiver on this computer: by the stream, its filter, the queue, the key and
 * the roles. The reference library verifies the events. The webhook is deleted afterwards. @throws Error
 */
export async function checkDeliveredWebhook(
  call: (method: string, path: string, body?: object) => Promise<unknown>,
): Promise<void> {
  const { url, take, close } = await startWebhookReceiver();
  try {
    const created = await call('POST', '/v1/webhooks', { url, types: ['lead.created'] });
    const { webhook, secret } = v.parse(Created, created);
    await call('POST', '/v1/leads', { firstName: 'Wendy' });
    const [event] = await take(1);
    const sent = v.parse(Sent, new Webhook(secret).verify(event!.body, event!.headers));
    deepStrictEqual(sent, { type: 'lead.created', data: { record: { firstName: 'Wendy' } } });
    await call('DELETE', `/v1/webhooks/${webhook.id}`);
  } finally {
    await close();
  }
}
