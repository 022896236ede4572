import type { HttpRequest, HttpResponse } from '../../infra/local/gateway/http-message.ts';
import { closeAll } from '../../infra/local/loopback.ts';
import { httpServer, listen } from '../../infra/local/server.ts';

/** An API that is served by HTTP. */
export interface ServedApi {
  baseUrl: string;
  close: () => Promise<void>;
}

/** Serves these answers at a free port, as `npm start` does. */
export async function servedApi(answer: (request: HttpRequest) => Promise<HttpResponse>): Promise<ServedApi> {
  const server = httpServer(answer, () => undefined);
  const port = await listen(server, 0);
  return { baseUrl: `http://localhost:${port}`, close: () => closeAll(server) };
}
