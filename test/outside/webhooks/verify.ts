import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { freePort } from '../../../infra/local/engine.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import type { ReceivedEvent } from '../../support/machine/webhook-receiver.ts';
import { output } from '../commands.ts';
import { withServer } from '../with-server.ts';

/** Says of each event if a receiver with this secret accepts it. */
export type Verify = (secret: string, events: readonly ReceivedEvent[]) => Promise<boolean[]>;

/**
 * Starts a receiver by a command, which takes WEBHOOK_SECRET and PORT, and posts the events to it. A sender that stops
 * within a body, and senders that give up, must not keep the receiver from its work.
 */
export const byReceiver =
  (...command: string[]): Verify =>
  async (secret, events) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const program = ['env', `WEBHOOK_SECRET=${secret}`, `PORT=${port}`, ...command];
    return withServer({ name: 'The receiver', url, command: program }, async () => {
      const accepted: boolean[] = [];
      const stalled = await begin(port);
      for (const { headers, body } of events) {
        const { status } = await fetch(url, { method: 'POST', headers, body });
        if (![204, 400].includes(status)) throw new LocalError(`The receiver answered ${status}.`);
        accepted.push(status === 204);
        (await begin(port)).destroy();
      }
      stalled.destroy();
      return accepted;
    });
  };

/** Begins a request, and leaves its body incomplete. */
async function begin(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const part = 'POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: 100\r\n\r\n{"a';
  await new Promise<void>((resolve) => {
    socket.write(part, () => {
      resolve();
    });
  });
  return socket;
}

/** Runs a shell script for each event, with its body on standard input. */
export const byScript =
  (script: string, bodyFile: string): Verify =>
  async (secret, events) => {
    const accepted: boolean[] = [];
    for (const { headers, body } of events) {
      writeFileSync(bodyFile, body);
      const args = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '');
      const command = ['-c', 'exec sh "$@" < "$0"', bodyFile, script, ...args];
      const said = await output('sh', command, { env: { ...process.env, WEBHOOK_SECRET: secret } }).catch(
        String,
      );
      if (!/^(?:.*\n)?(?:not )?verified\n?$/s.test(said)) throw new LocalError(`The script said: ${said}`);
      accepted.push(said === 'verified\n');
    }
    return accepted;
  };
