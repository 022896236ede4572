import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { isIPv4, type Server } from 'node:net';

/** Stops listening, and ends every connection. */
export async function closeAll(server: HttpServer): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** Loopback address that every computer has. */
export const loopback = '127.0.0.1';

/**
 * Listens on this machine's loopback. Returns the port; 0 chooses a free port.
 * @throws every error of `listen`
 */
export const listenOnLoopback = (server: Server, port = 0) => listenAt(server, loopback, port);

/**
 * Listens at an address. Returns the port; 0 chooses a free port.
 * @throws every error of `listen`
 */
export async function listenAt(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** A running server of HTTP. */
export interface RunningServer {
  endpoint: string;
  close(): Promise<void>;
}

/**
 * Starts a server, by default on a free port of the loopback. If `answer` fails, its request gets no answer.
 * @throws every error of `listen`
 */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { host = loopback, port = 0 } = {},
): Promise<RunningServer> {
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const actualPort = await listenAt(server, host, port);
  return { endpoint: `http://${host}:${actualPort}`, close: () => closeAll(server) };
}

/** Message for a request that only programs may send. */
export const webPagesRefused = 'Web pages and other names than this computer are refused';

/**
 * True if a request may come from a web page. A request may if it has an `Origin`, or if it calls this
 * computer by a name that is neither a loopback name nor in `names`. A page's own domain name can be made to
 * lead here (DNS rebinding).
 */
export function isFromWebPage({ headers }: Pick<IncomingMessage, 'headers'>, names: string[] = []): boolean {
  const { origin, host = '' } = headers;
  const isOurs = isLoopback(host) || names.includes(host.replace(/:\d*$/, '').toLowerCase());
  return origin !== undefined || !isOurs;
}

/**
 * True for a host (RFC 9110, section 7.2) that is a loopback name, which no DNS server can point elsewhere.
 */
export function isLoopback(authority: string): boolean {
  const [, host = ''] = /^(\[.*\]|[^:]*?)\.?(?::\d*)?$/.exec(authority.toLowerCase()) ?? [];
  return host === 'localhost' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
