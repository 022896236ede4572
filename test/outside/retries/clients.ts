import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { patience } from '../../support/patience.ts';
import { output } from '../commands.ts';
import { load } from '../tools.ts';
import type { Answer, KeyedRequest, Task } from './task.ts';

/** Number of requests of a client that are under way at once. */
const atOnce = 10;

/** Methods of got that are used. */
interface Got {
  extend: (options: object) => Got;
  post: (
    url: string,
    options: object,
  ) => Promise<{ statusCode: number; headers: Record<string, string | undefined>; body: unknown }>;
}

/**
 * Sends the requests by got. Its retries know nothing of this API.
 *
 * @param folder folder with got
 */
export async function sendByGot({ baseUrl, token, requests }: Task, folder: string): Promise<Answer[]> {
  const { default: got } = load(folder, 'got') as { default: Got };
  const client = got.extend({
    headers: { Authorization: `Bearer ${token}` },
    // Each try has a separate connection, so that the proxy may cut off its answer.
    agent: { http: new Agent({ keepAlive: false }) },
    retry: { limit: 40, methods: ['POST'], statusCodes: [409, 503], backoffLimit: 0 },
    timeout: { request: patience },
    throwHttpErrors: false,
    responseType: 'json',
  });
  const send = async ({ path, body, key }: KeyedRequest): Promise<Answer> => {
    const headers = { 'Idempotency-Key': key };
    const answer = await client.post(`${baseUrl}${path}`, { json: body, headers });
    const isReplayed = answer.headers['idempotency-replayed'] === 'true';
    return { status: answer.statusCode, isReplayed, body: answer.body };
  };
  const answers: Answer[] = [];
  const left = [...requests.entries()];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) answers[next[0]] = await send(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** Sends the requests by Python's urllib3. @param programs folder of the Python that has it */
export async function sendByUrllib3(task: Task, programs: string, folder: string): Promise<Answer[]> {
  const [taskFile, answersFile] = [join(folder, 'task.json'), join(folder, 'answers.json')];
  writeFileSync(taskFile, JSON.stringify({ ...task, patience }));
  await output(join(programs, 'python'), [join(import.meta.dirname, 'client.py'), taskFile, answersFile]);
  return JSON.parse(readFileSync(answersFile, 'utf8')) as Answer[];
}
