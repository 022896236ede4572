import { createServer, type Server } from 'node:http';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';

/** Path of a page of each website, to show after the form. */
export const thanksPath = '/thanks.html';

/** A business's website with its own origin: a page with pasted HTML, and a page that thanks. */
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

  /** Replaces the HTML of the first page. */
  paste(html: string): void {
    this.#pasted = html;
  }

  close(): Promise<void> {
    return closeAll(this.#server);
  }
}
