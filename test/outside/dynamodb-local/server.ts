import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startBound } from '../../../infra/local/bound-process.ts';
import { clientOf, freePort } from '../../../infra/local/engine.ts';
import { LocalError } from '../../../infra/local/local-error.ts';

/**
 * Starts a DynamoDB Local in memory from its jars, and ends it after `use`. `options` are those of its
 * command line.
 */
export async function withServer<T>(
  jars: string,
  options: readonly string[],
  use: (endpoint: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const { child, end } = startBound('java', [
    // For a run of minutes, the second compiler and a parallel garbage collector cost more than they save.
    ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    `-Djava.library.path=${jars}`,
    ...['-cp', join(jars, '*'), 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner'],
    ...['-inMemory', '-disableTelemetry', '-port', String(port), ...options],
  ]);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  const ended = once(child, 'exit').then(() => {
    throw new LocalError(`DynamoDB Local ended: ${said.trim()}`);
  });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    return await Promise.race([ended, answers(endpoint).then(() => use(endpoint))]);
  } finally {
    end();
    await ended.catch(() => undefined);
  }
}

async function answers(endpoint: string): Promise<void> {
  const client = clientOf({ endpoint }, { maxAttempts: 1 });
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      client.destroy();
      return;
    } catch {
      // DynamoDB Local takes a second to start.
      await setTimeout(100);
    }
  }
}
