import type { IncomingMessage } from 'node:http';
import { samLocalDatabase } from '../stack/stage.ts';
import { startEngineProxy, type EngineProxy, type Refusal } from './engine-proxy.ts';
import { LocalError } from './local-error.ts';
import { isLoopback } from './loopback.ts';

/** Where containers are to find the engine. */
export interface DoorOptions {
  host: string;
  port: number;
  /** Whether they were asked for, so that a start without them fails. */
  isAskedFor: boolean;
}

/** A fixed address of the engine, for functions that run in containers. */
export interface ContainerDoor {
  /** Where it is; undefined where its port was in use. */
  endpoint: string | undefined;
  /** What the start says of it. */
  sentence: string;
  close(): Promise<void>;
}

/**
 * Opens the engine at a fixed address, for containers on this computer. Whoever reaches it reads and writes everything: no role
 * is asked. Web pages are refused, since the engine itself would answer any page (`Access-Control-Allow-Origin: *`).
 * @throws LocalError if the address was asked for and cannot be had
 */
export async function openContainerDoor(
  engineEndpoint: Promise<string>,
  { host, port, isAskedFor }: DoorOptions,
): Promise<ContainerDoor> {
  try {
    const proxy = await startEngineProxy(engineEndpoint, (request) => refusalOf(request, host), {
      host,
      port,
    });
    return { endpoint: proxy.endpoint, sentence: sentenceOf(proxy), close: () => proxy.close() };
  } catch (error) {
    const problem = problemOf(error, { host, port });
    if (problem === undefined) throw error;
    if (isAskedFor) throw new LocalError(problem);
    return {
      endpoint: undefined,
      sentence: `The database is not open to containers: port ${port} is in use (--engine-port names another).`,
      close: () => Promise.resolve(),
    };
  }
}

const sentenceOf = ({ endpoint }: EngineProxy) =>
  `The database is open to containers at ${endpoint}: docs/sam-local.md.`;

/** Only who calls the engine by an address of this computer: a web page's own name could lead here as well. */
function refusalOf({ headers }: IncomingMessage, listensAt: string): Refusal | undefined {
  const { host = '', origin } = headers;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (origin === undefined && (isLoopback(host) || [samLocalDatabase.host, listensAt].includes(name)))
    return undefined;
  return {
    name: 'AccessDeniedException',
    message: 'Web pages and other names than this computer are refused',
  };
}

function problemOf(error: unknown, { host, port }: { host: string; port: number }): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `Port ${port} is in use: stop what is running there, or choose another with --engine-port.`;
    case 'EACCES':
      return `Port ${port} is not allowed: choose one above 1023 with --engine-port.`;
    case 'EADDRNOTAVAIL':
      return `--engine-host must be an address of this computer, such as 127.0.0.1, not "${host}".`;
    default:
      return undefined;
  }
}
