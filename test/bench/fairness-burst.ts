import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';

/** What a burst is of. */
export type BurstKind = 'creates' | 'lists';

/** Where a burst is sent, as whom, how many clients at once, and what. */
const Order = v.object({
  baseUrl: v.string(),
  token: v.string(),
  clients: v.number(),
  kind: v.picklist(['creates', 'lists']),
  /** Goes into the emails of what is created: no two bursts have the same. */
  name: v.string(),
});
export type Order = v.InferOutput<typeof Order>;

/** What the thread says: that all clients are at work, and at the end what came of it. */
export const Told = v.variant('told', [
  v.object({ told: v.literal('under way') }),
  v.object({
    told: v.literal('done'),
    milliseconds: v.number(),
    /** How often each status was answered. */
    statuses: v.record(v.string(), v.number()),
    /** The emails of the creates that were answered 201, and of the others. */
    created: v.array(v.string()),
    refused: v.array(v.string()),
  }),
]);
export type Told = v.InferOutput<typeof Told>;

/** Each client sends its next request once it has the answer, until the thread is told to stop. */
async function burst({ baseUrl, token, clients, kind, name }: Order): Promise<void> {
  const tell = (told: Told) => parentPort?.postMessage(told);
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const statuses: Record<string, number> = {};
  const created: string[] = [];
  const refused: string[] = [];
  let isOver = false;
  let sent = 0;
  let answered = 0;
  const list = () => send(`${baseUrl}/v1/leads?limit=50`, { agent, headers });
  const create = async () => {
    const email = `${name}.${sent}@burst.example`;
    const options = { agent, headers, method: 'POST' };
    const status = await send(`${baseUrl}/v1/leads`, options, JSON.stringify({ name: 'Ann Lee', email }));
    (status === 201 ? created : refused).push(email);
    return status;
  };
  const client = async () => {
    while (!isOver) {
      sent++;
      const status = await (kind === 'lists' ? list() : create());
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (++answered === 1) tell({ told: 'under way' });
    }
  };
  parentPort?.once('message', () => (isOver = true));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  tell({ told: 'done', milliseconds: performance.now() - startedAt, statuses, created, refused });
}

/** Sends one request and reads the whole answer. Returns its status. */
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

// Only as a thread of its own: its clients then do not delay what is measured beside them.
if (parentPort) await burst(v.parse(Order, workerData));
