import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { samLocalDatabase } from '../../stack/stage.ts';
import { LocalError } from '../local-error.ts';
import { type EngineProxy, type Refusal, startEngineProxy } from './engine-proxy.ts';

/** Address at which containers find the engine. */
export interface ContainerProxyOptions {
  host: string;
  port: number;
  /** True if the options name the address. A start that cannot listen there then fails. */
  isAskedFor: boolean;
}

/** A fixed address of the engine, for functions that run in containers. */
export interface ContainerProxy {
  /** Undefined if the port was in use. */
  endpoint: string | undefined;
  /** Sentence that the start prints about it. */
  sentence: string;
  close(): Promise<void>;
}

/**
 * Opens the engine at a fixed address, for containers on this computer. Callers can read and write
 * everything, because no role is checked. So the proxy listens only at loopback or at a bridge of Docker's.
 * The proxy answers only this computer and the containers at such bridges, because other computers of the
 * network can send to a bridge's address, too.
 * @throws LocalError if the address was asked for and is not available, or if other computers could reach it
 */
export async function openContainerProxy(
  engineEndpoint: Promise<string>,
  { host, port, isAskedFor }: ContainerProxyOptions,
  interfaces: () => Interfaces = networkInterfaces,
): Promise<ContainerProxy> {
  if (isOpenToOthers(host, interfaces())) {
    throw new LocalError(
      `--engine-host must be 127.0.0.1, or the address of Docker's bridge, such as 172.17.0.1, not "${host}", where other computers could read the whole database.`,
    );
  }
  try {
    const refuse = ({ socket }: IncomingMessage) => refusalOf(socket, interfaces());
    const names = [samLocalDatabase.host, host];
    const proxy = await startEngineProxy(engineEndpoint, refuse, { host, port, names });
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
  `The database is open to containers at ${endpoint}, and to all programs of this computer: docs/sam-local.md.`;

/** Networks of this computer, by the name of the interface. */
type Interfaces = ReturnType<typeof networkInterfaces>;

/** Names of Docker's bridges on Linux: its own bridge, and the bridges of networks that someone created. */
const bridgeName = /^(?:docker\d+|br-[\da-f]{12})$/;

/**
 * True if other computers can reach the address. A bridge without a running container is not among the
 * interfaces.
 */
function isOpenToOthers(address: string, interfaces: Interfaces): boolean {
  if (address.startsWith('127.')) return false;
  const found = Object.entries(interfaces).find(([, all = []]) => all.some((one) => one.address === address));
  return address === '0.0.0.0' || (found !== undefined && !bridgeName.test(found[0]));
}

/** True if a call comes from this computer, or from a container at a bridge of Docker's. */
function isFromHere({ remoteAddress = '', localAddress }: IncomingMessage['socket'], interfaces: Interfaces) {
  if (remoteAddress.startsWith('127.') || remoteAddress === localAddress) return true;
  const containers = new BlockList();
  for (const [name, all = []] of Object.entries(interfaces)) {
    if (!bridgeName.test(name)) continue;
    for (const { family, address, cidr } of all)
      if (family === 'IPv4' && cidr !== null) containers.addSubnet(address, Number(cidr.split('/')[1]));
  }
  return containers.check(remoteAddress);
}

function refusalOf(socket: IncomingMessage['socket'], interfaces: Interfaces): Refusal | undefined {
  if (isFromHere(socket, interfaces)) return undefined;
  const message = "Only this computer and containers at Docker's bridges (docker0, br-…) are answered";
  return { name: 'AccessDeniedException', message };
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
