import * as v from 'valibot';
import { LocalError } from '../../../infra/local/local-error.ts';
import { startWebhookReceiver, type ReceivedEvent } from '../../support/machine/webhook-receiver.ts';
import { startMemoryService } from '../memory-service.ts';

const Made = v.object({ webhook: v.object({ id: v.number() }), secret: v.string() });

/** Events that a receiver got before and after the webhook's secret was rotated, and both secrets. */
interface ReceivedEvents {
  former: string;
  present: string;
  before: ReceivedEvent;
  after: ReceivedEvent;
}

/** Makes a webhook and leads on a local machine. The webhook's receiver is told of the leads. */
export async function receiveEvents(): Promise<ReceivedEvents> {
  await using opened = new AsyncDisposableStack();
  const { baseUrl, token, close } = await startMemoryService();
  opened.defer(close);
  const receiver = opened.adopt(await startWebhookReceiver(), (one) => one.close());
  const post = async (path: string, body?: object): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok)
      throw new LocalError(`POST ${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const created = async (name: string): Promise<ReceivedEvent> => {
    await post('/v1/leads', { name });
    const [event] = await receiver.take(1);
    if (!event?.body.includes('lead.created'))
      throw new LocalError(`The lead's event is not there: ${event?.body}`);
    return event;
  };
  const made = await post('/v1/webhooks', { url: receiver.url, types: ['lead.*'] });
  const { webhook, secret: former } = v.parse(Made, made);
  const before = await created('Zoë Zed 😀');
  const rotated = await post(`/v1/webhooks/${webhook.id}/rotate-secret`);
  const { secret: present } = v.parse(Made, rotated);
  return { former, present, before, after: await created('Ann Ash') };
}
