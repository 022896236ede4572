import { DynamoDBClient, ListTablesCommand, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { startBound } from './bound-process.ts';
import { dynamodbEndpoint } from './engine/dynamodb-endpoint.ts';
import { engineBinary } from './engine/engine-binary.ts';
import { compactEngineFile, prepareEngineFile } from './engine/engine-file.ts';
import { region } from './arns.ts';
import { LocalError } from './local-error.ts';
import { listenAt, loopback } from './loopback.ts';

/** A DynamoDB: one started for this machine, or an existing one. */
export interface Engine {
  endpoint: string;
  /** Location of its data, for messages, such as `in .data`. */
  location: string;
  /** Resolves with a sentence if the engine ends by itself; otherwise never. */
  failed: Promise<string>;
  /**
   * Removes the bytes of deleted items from the engine's files, if the files are this machine's.
   * @throws Error if another process prevents it; `close` or the next start completes it
   */
  compact(): void;
  close(): Promise<void>;
}

/** Credentials that the SDK signs with. Engines on this machine accept any. */
export const localCredentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Creates a client for the engine, for code outside the functions. */
export function clientOf(
  { endpoint }: Pick<Engine, 'endpoint'>,
  config: DynamoDBClientConfig = {},
): DynamoDBClient {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = localCredentials;
  return new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, ...config });
}

/**
 * Uses the endpoint in `DYNAMODB_ENDPOINT`, or starts Dynoxide with its database in `file` or in memory.
 * Dynoxide answers every web page and checks no signature. So it listens at a random loopback address, which
 * no page can guess, if this computer has more than one.
 *
 * @param addresses chooses where Dynoxide listens. Asked again if another program takes that port first
 * @throws LocalError if no DynamoDB answers, or Dynoxide does not start
 */
export async function startEngine(
  file?: string,
  addresses = () => freeAddress([randomLoopback(), loopback]),
  tries = 3,
): Promise<Engine> {
  const endpoint = dynamodbEndpoint();
  if (endpoint !== undefined) {
    await checkAnswers(endpoint);
    const location = `in the DynamoDB at ${endpoint}`;
    return { endpoint, location, failed: forever, compact: () => undefined, close: () => Promise.resolve() };
  }
  if (file !== undefined) prepare(file);
  const { host, port } = await addresses();
  const { child, end } = startBound(engineBinary(), [
    'serve',
    '--host',
    host,
    '--port',
    String(port),
    ...(file === undefined ? [] : ['--db-path', file]),
  ]);
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
  if (failure?.includes('already in use') && tries > 1) return startEngine(file, addresses, tries - 1);
  if (failure !== undefined) throw new LocalError(failure);
  return {
    endpoint: `http://${host}:${port}`,
    location: file === undefined ? 'in memory' : `in ${dirname(file)}`,
    failed,
    compact: () => {
      if (file !== undefined) compactEngineFile(file);
    },
    close: async () => {
      closing = true;
      end();
      await ended;
      try {
        if (file !== undefined) prepareEngineFile(file);
      } catch {
        // Another process still has the file: the next start compacts it.
      }
    },
  };
}

const forever = new Promise<never>(() => undefined);

/** @throws LocalError */
function prepare(file: string): void {
  try {
    prepareEngineFile(file);
  } catch (error) {
    throw new LocalError(`The database ${file} cannot be used: ${messageOf(error)}`);
  }
}

async function checkAnswers(endpoint: string): Promise<void> {
  const requestHandler = { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true };
  const client = clientOf({ endpoint }, { maxAttempts: 1, requestHandler });
  try {
    await client.send(new ListTablesCommand({ Limit: 1 }));
  } catch (error) {
    const said = messageOf(error);
    // If another program answers, the SDK's message has many lines.
    const [reason = ''] = said.split('\n');
    throw new LocalError(`DYNAMODB_ENDPOINT is ${endpoint}, where no DynamoDB answers: ${reason}`);
  } finally {
    client.destroy();
  }
}

const messageOf = (error: unknown) =>
  error instanceof Error ? error.message || String(error) : String(error);

/** Chooses an address of this computer out of 16 million, on Linux and Windows. macOS has 127.0.0.1 alone. */
const randomLoopback = () => `127.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** Finds a free port at the first of the addresses that this computer has. */
export async function freeAddress([host = loopback, ...others]: string[]): Promise<{
  host: string;
  port: number;
}> {
  try {
    return { host, port: await freePort(host) };
  } catch (error) {
    if (others.length === 0) throw error;
    return freeAddress(others);
  }
}

/** Finds a port that nothing listens on. */
export async function freePort(host = loopback): Promise<number> {
  const server = createServer();
  const port = await listenAt(server, host, 0);
  server.close();
  await once(server, 'close');
  return port;
}
