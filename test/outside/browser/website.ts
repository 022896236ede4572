import { createServer, type Server } from 'node:http';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';

/** A page of every website here, for after the form. */
export const thanksPath = '/thanks.html';

/** A business's website, on an origin of its own: a page with whatever was pasted into it, and one that thanks. */
export class Website {
  readonly origin: string;
  readonly #server: Server;
  #pasted = '';

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.origin = `http://localhost:${port}`;
    server.on('request', ({ url }, response) => {
      const content = url === thanksPath ? '<p>We will call you.</p>' : this.#pasted;
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(`<!doctype html><html lang="en"><title>Plumbing</title><body>${content}</body></html>`);
    });
  }

  static async open(): Promise<Website> {
    const server = createServer();
    return new Website(server, await listenOnLoopback(server));
  }

  /** Puts HTML on its first page, in the place of what was pasted before. */
  paste(html: string): void {
    this.#pasted = html;
  }

  close(): Promise<void> {
    return closeAll(this.#server);
  }
}
