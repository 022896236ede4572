import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';

/** Requests that a burst sends. */
export type BurstKind = 'creates' | 'lists';

/** Target, sender, number of clients and kind of a burst. */
const Order = v.object({
  baseUrl: v.string(),
  token: v.string(),
  clients: v.number(),
  kind: v.picklist(['creates', 'lists']),
  /** Part of the created leads' emails, different for each burst. */
  name: v.string(),
});
export type Order = v.InferOutput<typeof Order>;

/** Message of the thread: all clients are at work, or the burst's outcome. */
export const BurstMessage = v.variant('state', [
  v.object({ state: v.literal('under way') }),
  v.object({
    state: v.literal('done'),
    milliseconds: v.number(),
    /** Number of answers of each status. */
    statuses: v.record(v.string(), v.number()),
  }),
]);
export type BurstMessage = v.InferOutput<typeof BurstMessage>;

/**
 * Sends a burst: each client sends its next request after the last answer, until the thread gets a message.
 */
async function burst({ baseUrl, token, clients, kind, name }: Order): Promise<void> {
  const post = (message: BurstMessage) => parentPort?.postMessage(message);
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const statuses: Record<string, number> = {};
  let isOver = false;
  let sent = 0;
  let answered = 0;
  const list = () => send(`${baseUrl}/v1/leads?limit=50`, { agent, headers });
  const create = () => {
    const email = `${name}.${sent}@burst.example`;
    const options = { agent, headers, method: 'POST' };
    return send(`${baseUrl}/v1/leads`, options, JSON.stringify({ name: 'Ann Lee', email }));
  };
  const client = async () => {
    while (!isOver) {
      sent++;
      const status = await (kind === 'lists' ? list() : create());
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (++answered === 1) post({ state: 'under way' });
    }
  };
  parentPort?.once('message', () => (isOver = true));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  post({ state: 'done', milliseconds: performance.now() - startedAt, statuses });
}

/** Sends one request, and reads the whole answer. Returns its status. */
function send(
  url: string,
  options: { agent: Agent; headers: Record<string, string>; method?: string },
  body?: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onAnswer = request(url, options, (response) => {
      response.once('end', () => {
        resolve(response.statusCode ?? 0);
      });
      response.once('error', reject);
      response.resume();
    });
    onAnswer.once('error', reject);
    onAnswer.end(body);
  });
}

// Runs only as a thread of its own, so that its clients do not delay the measured requests.
if (parentPort) await burst(v.parse(Order, workerData));
