import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import * as v from 'valibot';
import { LocalError } from '../local-error.ts';
import { startServer } from '../loopback.ts';
import type { DemoAccess } from './demo.ts';

/** A request that the receiver got. */
export interface Received {
  isVerified: boolean;
  body: string;
}

interface ReceiverOptions {
  baseUrl: string;
  demo: Pick<DemoAccess, 'name' | 'token'>;
  show: (received: Received) => void;
}

/** A webhook that is received on this computer. */
export interface DemoReceiver {
  sentence: string;
  /** Deletes the webhook. */
  close(): Promise<void>;
}

/** Description that lets a later start find the webhook of a start that was killed. */
const description = 'npm start -- --receive';

const Made = v.object({ webhook: v.object({ id: v.number() }), secret: v.string() });
const Listed = v.object({ webhooks: v.array(v.object({ id: v.number(), description: v.string() })) });
const Refused = v.object({ error: v.object({ message: v.string() }) });

/**
 * Makes a webhook of a demo organization through the API, and receives it: each request is verified as the receivers of
 * docs/guides/webhooks.md do, and shown.
 *
 * @throws LocalError if the API refuses it
 */
export async function startReceiver({ baseUrl, demo, show }: ReceiverOptions): Promise<DemoReceiver> {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${baseUrl}/v1/webhooks${path}`, {
      method,
      headers: { Authorization: `Bearer ${demo.token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answered: unknown = await answer.json();
    if (answer.ok) return answered;
    const { success, output } = v.safeParse(Refused, answered);
    const reason = success ? output.error.message : `status ${answer.status}`;
    throw new LocalError(`--receive cannot make a webhook of ${demo.name}: ${reason}.`);
  };
  // An event can arrive before the answer that has the secret.
  const verifier = Promise.withResolvers<Webhook>();
  const server = await startServer(async (request, response) => {
    const body = await text(request);
    const isVerified = verifies(await verifier.promise, body, request.headers);
    show({ isVerified, body });
    response.writeHead(isVerified ? 204 : 400).end();
  });
  try {
    const { webhooks } = v.parse(Listed, await call('GET', ''));
    for (const { id } of webhooks.filter((one) => one.description === description))
      await call('DELETE', `/${id}`);
    const made = await call('POST', '', { url: `${server.endpoint}/`, description });
    const { webhook, secret } = v.parse(Made, made);
    verifier.resolve(new Webhook(secret));
    return {
      sentence: `Webhook ${webhook.id} of ${demo.name} sends every event to ${server.endpoint}, which verifies and prints it.`,
      close: async () => {
        // Otherwise the next start does it.
        await call('DELETE', `/${webhook.id}`).catch(() => undefined);
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function verifies(verifier: Webhook, body: string, headers: NodeJS.Dict<string | string[]>): boolean {
  try {
    verifier.verify(
      body,
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    );
    return true;
  } catch {
    return false;
  }
}
