import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  abandon: AbortController;
}

/** How long a connection that is ended stays open for its client to read the end, in milliseconds. */
const lingerTime = 5000;

/** What is under way on each connection of a server, so that one that cannot be read any further ends in order. */
export class Connections {
  readonly #underWay = new WeakMap<Duplex, Set<Exchange>>();
  readonly #ended = new WeakSet<Duplex>();

  /** Notes a request. The signal tells that its connection is ended before it was read: it must not be carried out. */
  begin(request: IncomingMessage, response: ServerResponse): AbortSignal {
    const exchange = { request, response, abandon: new AbortController() };
    if (this.#ended.has(request.socket)) exchange.abandon.abort();
    const exchanges = this.#underWay.get(request.socket) ?? new Set();
    this.#underWay.set(request.socket, exchanges.add(exchange));
    response.once('close', () => exchanges.delete(exchange));
    return exchange.abandon.signal;
  }

  /** Ends a connection with some last bytes, once all requests of it that were read are answered. */
  async end(socket: Duplex, last: string): Promise<void> {
    // Whatever comes after what could not be read cannot be read either.
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
    // To close at once would take back what the client has not read yet, if it still sends.
    setTimeout(() => socket.destroy(), lingerTime).unref();
  }
}

/** Resolves at the end of a stream, also of one that fails. */
const closed = (stream: Writable) => new Promise((resolve) => stream.once('close', resolve));
