import type { Server, ServerResponse } from 'node:http';
import type { System } from '../../shared/core/system.ts';

/** Milliseconds that requests under way have when the machine ends. */
const grace = 1000;

/**
 * Tracks the requests of a server. Returns a function that ends it: the server takes no more requests, lets
 * those under way finish for a second, and then closes every connection. That function resolves with the
 * number of requests that got no answer.
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

const closed = (response: ServerResponse) => new Promise((resolve) => response.once('close', resolve));
