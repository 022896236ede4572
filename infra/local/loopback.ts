import { once } from 'node:events';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { isIPv4, type Server } from 'node:net';

/** Stops listening, and ends every connection. */
export async function closeAll(server: HttpServer): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** The loopback address that every computer has. */
export const loopback = '127.0.0.1';

/** Listens on this machine's loopback. Returns the port: a free one for 0. @throws what `listen` does */
export const listenOnLoopback = (server: Server, port = 0) => listenAt(server, loopback, port);

/** Listens at an address. Returns the port: a free one for 0. @throws what `listen` does */
export async function listenAt(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** Says that a door of this machine is for programs alone. */
export const webPagesRefused = 'Web pages and other names than this computer are refused';

/**
 * True for a request that may be of a web page: it says its `Origin`, or calls this computer by another name than
 * loopback's or one of `names`, since the name of a page's own site can be made to lead here.
 */
export function isFromWebPage({ headers }: Pick<IncomingMessage, 'headers'>, names: string[] = []): boolean {
  const { origin, host = '' } = headers;
  const isOurs = isLoopback(host) || names.includes(host.replace(/:\d*$/, '').toLowerCase());
  return origin !== undefined || !isOurs;
}

/** Whether a host (RFC 9110, section 7.2) is a loopback name that no DNS server can point elsewhere. */
export function isLoopback(authority: string): boolean {
  const [, host = ''] = /^(\[.*\]|[^:]*?)\.?(?::\d*)?$/.exec(authority.toLowerCase()) ?? [];
  return host === 'localhost' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
