import { deepStrictEqual } from 'node:assert';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import * as v from 'valibot';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import { eventually } from '../../support/patience.ts';

const Created = v.object({ webhook: v.object({ id: v.number() }), secret: v.string() });
const Sent = v.object({ type: v.string(), data: v.object({ record: v.object({ firstName: v.string() }) }) });

interface Received {
  headers: Record<string, string>;
  body: string;
}

/**
 * Proves that a webhook sends what happens to a receiver on this computer, which the reference library verifies: by the
 * stream, its filter, the queue, the key and the roles. The webhook is deleted then. @throws Error
 */
export async function checkDeliveredWebhook(
  call: (method: string, path: string, body?: object) => Promise<unknown>,
): Promise<void> {
  const received: Received[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      received.push({ headers: Object.fromEntries(headers) as Record<string, string>, body });
      response.writeHead(204).end();
    });
  });
  try {
    const url = `http://127.0.0.1:${await listenOnLoopback(receiver)}/hook`;
    const created = await call('POST', '/v1/webhooks', { url, types: ['lead.created'] });
    const { webhook, secret } = v.parse(Created, created);
    await call('POST', '/v1/leads', { firstName: 'Wendy' });
    const { headers, body } = await eventually(
      () => received[0],
      () => 'No event arrived.',
    );
    const sent = v.parse(Sent, new Webhook(secret).verify(body, headers));
    deepStrictEqual(sent, { type: 'lead.created', data: { record: { firstName: 'Wendy' } } });
    await call('DELETE', `/v1/webhooks/${webhook.id}`);
  } finally {
    await closeAll(receiver);
  }
}
