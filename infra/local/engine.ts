import { DynamoDBClient, ListTablesCommand, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { region } from './intrinsics.ts';
import { LocalError } from './local-error.ts';
import { listenOnLoopback } from './loopback.ts';

/** A DynamoDB that runs for this machine alone, or one that runs somewhere. */
export interface Engine {
  endpoint: string;
  /** Resolves with a sentence if the engine ends by itself; otherwise never. */
  failed: Promise<string>;
  close(): Promise<void>;
}

/** What the SDK needs to sign with; engines on this machine take any. */
export const localCredentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** A client for the engine, for what runs outside the functions. */
export function clientOf(
  { endpoint }: Pick<Engine, 'endpoint'>,
  config: DynamoDBClientConfig = {},
): DynamoDBClient {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = localCredentials;
  return new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, ...config });
}

/**
 * Starts Dynoxide on a free port, its database in `file`, or in memory; or takes the endpoint in `DYNAMODB_ENDPOINT`.
 * @throws LocalError when there is neither, or no DynamoDB answers.
 */
export async function startEngine(file?: string): Promise<Engine> {
  const endpoint = process.env['DYNAMODB_ENDPOINT'];
  if (endpoint) {
    await checkAnswers(endpoint);
    return { endpoint, failed: forever, close: () => Promise.resolve() };
  }
  const port = await freePort();
  const child = spawn(
    'sh',
    [
      '-c',
      guard,
      'sh',
      engineBinary(),
      'serve',
      '--port',
      String(port),
      ...(file === undefined ? [] : ['--db-path', file]),
    ],
    // In a process group of its own, so that Ctrl-C reaches it only through this process.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  child.stdin.on('error', () => undefined);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-500)));
  const ended = once(child, 'exit').then(
    () =>
      `The database engine${file === undefined ? '' : ` of ${file}`} ended: ${said.trim() || 'it gave no reason'}`,
  );
  const ready = new Promise<void>((resolve) => {
    child.stderr.on('data', () => {
      if (said.includes('listening')) resolve();
    });
  });
  let closing = false;
  const failed = ended.then((sentence) => (closing ? forever : sentence));
  const failure = await Promise.race([ready, ended]);
  if (failure !== undefined) throw new LocalError(failure);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    failed,
    close: async () => {
      closing = true;
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Runs the engine until its own standard input ends. The other end is this process, so that the engine stops with it
 * even after a `kill -9`.
 */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
engine=$!
(cat <&3 >/dev/null; kill "$engine" 2>/dev/null) &
exec 3<&-
wait "$engine"`;

const forever = new Promise<never>(() => undefined);

async function checkAnswers(endpoint: string): Promise<void> {
  const client = URL.canParse(endpoint) ? clientOf({ endpoint }, { maxAttempts: 1 }) : undefined;
  try {
    if (!client) throw new Error('it is no URL');
    await client.send(new ListTablesCommand({ Limit: 1 }));
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(error) : String(error);
    throw new LocalError(`DYNAMODB_ENDPOINT is ${endpoint}, where no DynamoDB answers: ${reason}`);
  } finally {
    client?.destroy();
  }
}

/** The path of Dynoxide's program. @throws LocalError when it is not installed. */
export function engineBinary(): string {
  try {
    return createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  } catch {
    throw new LocalError(
      'There is no database engine for this platform (@dynoxide/linux-x64 is not installed): start a DynamoDB, such as ' +
        'DynamoDB Local in a container, and set DYNAMODB_ENDPOINT to its address, for example http://localhost:8000.',
    );
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  server.close();
  await once(server, 'close');
  return port;
}
