import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { isIPv4, type Server } from 'node:net';

/** Stops listening, and ends every connection. */
export async function closeAll(server: HttpServer): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** Listens on this machine's loopback. Returns the port: a free one for 0. @throws what `listen` does */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** Whether a host (RFC 9110, section 7.2) is a loopback name that no DNS server can point elsewhere. */
export function isLoopback(authority: string): boolean {
  const [, host = ''] = /^(\[.*\]|[^:]*?)\.?(?::\d*)?$/.exec(authority.toLowerCase()) ?? [];
  return host === 'localhost' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
