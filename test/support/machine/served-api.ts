import { troublesOf } from '../../../infra/local/functions/cost.ts';
import type { HttpRequest, HttpResponse } from '../../../infra/local/gateway/http-message.ts';
import { closeAll } from '../../../infra/local/loopback.ts';
import { httpServer, listen } from '../../../infra/local/server.ts';

/** An API that is served by HTTP. */
export interface ServedApi {
  baseUrl: string;
  close: () => Promise<void>;
}

/** Header of a 5xx: what the functions logged about it, with causes and stacks, in Base64. `ApiClient` prints it. */
export const troubleHeader = 'x-test-trouble';
/** Most characters of it: clients refuse headers of more than 16 KB. */
const longestTrouble = 8000;

/** Serves these answers at a free port, as `npm start` does. */
export async function servedApi(answer: (request: HttpRequest) => Promise<HttpResponse>): Promise<ServedApi> {
  const server = httpServer(
    async (request) => withTrouble(await answer(request)),
    () => undefined,
  );
  const port = await listen(server, 0);
  return { baseUrl: `http://localhost:${port}`, close: () => closeAll(server) };
}

function withTrouble(response: HttpResponse): HttpResponse {
  if (response.status < 500) return response;
  const shown = troublesOf(response.outcomes).join('\n').slice(0, longestTrouble);
  const trouble = Buffer.from(shown).toString('base64');
  return { ...response, headers: { ...response.headers, [troubleHeader]: trouble } };
}
