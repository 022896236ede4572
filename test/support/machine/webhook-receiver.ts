import { EventEmitter, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { startServer } from '../../../infra/local/loopback.ts';
import { patience } from '../patience.ts';

/** A request that a receiver got. */
export interface ReceivedEvent {
  headers: Record<string, string>;
  body: string;
  /** Epoch milliseconds. */
  at: number;
}

/** A receiver on this computer that answers every event with 204, and keeps them all. */
export interface WebhookReceiver {
  url: string;
  /** Waits until there are so many events, and takes them all. */
  take: (count: number) => Promise<ReceivedEvent[]>;
  close: () => Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const got: ReceivedEvent[] = [];
  const arrivals = new EventEmitter();
  const server = await startServer(async (request, response) => {
    const at = Date.now();
    const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-'));
    const body = await text(request);
    got.push({ headers: Object.fromEntries(headers) as Record<string, string>, body, at });
    response.writeHead(204).end();
    arrivals.emit('event');
  });
  const take = async (count: number) => {
    while (got.length < count) await once(arrivals, 'event', { signal: AbortSignal.timeout(patience) });
    return got.splice(0);
  };
  return { url: `${server.endpoint}/`, take, close: () => server.close() };
}
