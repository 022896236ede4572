import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import type { System } from '../../shared/core/system.ts';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  abandon: AbortController;
}

/** Milliseconds that an ended connection stays open, so that its client can read the last bytes. */
const lingerTime = 5000;

/**
 * Tracks the requests on each connection. If a connection becomes unreadable, its earlier requests are
 * answered before it is closed.
 */
export class Connections {
  readonly #underWay = new WeakMap<Duplex, Set<Exchange>>();
  readonly #ended = new WeakSet<Duplex>();

  /**
   * Registers a request. The signal aborts if the connection ends before the request was read; drop the
   * request then.
   */
  begin(request: IncomingMessage, response: ServerResponse): AbortSignal {
    const exchange = { request, response, abandon: new AbortController() };
    if (this.#ended.has(request.socket)) exchange.abandon.abort();
    const exchanges = this.#underWay.get(request.socket) ?? new Set();
    this.#underWay.set(request.socket, exchanges.add(exchange));
    response.once('close', () => exchanges.delete(exchange));
    return exchange.abandon.signal;
  }

  /** Ends a connection with some last bytes, once every request read from it is answered. */
  async end(socket: Duplex, last: string): Promise<void> {
    // Once is enough: nothing after the first unreadable bytes can be read.
    if (this.#ended.has(socket) || socket.destroyed) return;
    this.#ended.add(socket);
    const answered: Promise<unknown>[] = [];
    for (const { request, response, abandon } of this.#underWay.get(socket) ?? []) {
      if (request.complete || response.writableEnded) answered.push(closed(response));
      else abandon.abort();
    }
    await Promise.race([Promise.all(answered), closed(socket)]);
    if (!socket.writable) return;
    socket.end(last);
    // Closing at once, while the client still sends, would discard bytes that the client has not read yet.
    setTimeout(() => socket.destroy(), lingerTime).unref();
  }
}

/** Resolves when a stream closes, also after an error. */
const closed = (stream: Writable) => new Promise((resolve) => stream.once('close', resolve));

/** Milliseconds that requests under way have when the machine ends. */
const grace = 1000;

/**
 * Tracks the requests of a server. Returns a function that ends the server: the server takes no more
 * requests, lets those under way finish for a second, and then closes every connection. The function resolves
 * with the number of requests that got no answer.
 */
export function gracefulShutdown(server: Server, { sleep }: Pick<System, 'sleep'>): () => Promise<number> {
  const underWay = new Set<ServerResponse>();
  server.on('request', (_, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return async () => {
    server.close();
    // Otherwise a client that keeps its connection could send the next request there.
    for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close');
    const answered = Promise.all([...underWay].map((response) => closed(response)));
    await Promise.race([answered, sleep(grace)]);
    const unanswered = underWay.size;
    server.closeAllConnections();
    return unanswered;
  };
}
