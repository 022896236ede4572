import { text } from 'node:stream/consumers';
import { startServer, type RunningServer } from '../../infra/local/loopback.ts';

/** A request that a receiver got. */
export interface ReceivedEvent {
  headers: Record<string, string>;
  body: string;
  /** Epoch milliseconds. */
  at: number;
}

/** A receiver on this computer that answers every event with 204, and keeps them all. */
export class WebhookReceiver {
  readonly #server: RunningServer;
  readonly #got: ReceivedEvent[];
  readonly #waiting = new Set<() => void>();

  private constructor(server: RunningServer, got: ReceivedEvent[]) {
    this.#server = server;
    this.#got = got;
  }

  static async start(): Promise<WebhookReceiver> {
    const got: ReceivedEvent[] = [];
    const server = await startServer(async (request, response) => {
      const at = Date.now();
      const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-'));
      got.push({
        headers: Object.fromEntries(headers) as Record<string, string>,
        body: await text(request),
        at,
      });
      response.writeHead(204).end();
      for (const tell of receiver.#waiting) tell();
    });
    const receiver = new WebhookReceiver(server, got);
    return receiver;
  }

  get url(): string {
    return `${this.#server.endpoint}/`;
  }

  /** Waits until there are so many events, and takes them all. */
  async take(count: number): Promise<ReceivedEvent[]> {
    while (this.#got.length < count) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const wake = () => {
        resolve(undefined);
      };
      this.#waiting.add(wake);
      await promise;
      this.#waiting.delete(wake);
    }
    return this.#got.splice(0);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
