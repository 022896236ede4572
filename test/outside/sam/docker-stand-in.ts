import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';

/** Request for a container, as far as the stand-in uses it. */
const NewContainer = v.object({
  Env: v.array(v.string()),
  Image: v.string(),
  HostConfig: v.object({
    NetworkMode: v.string(),
    /** `folder:path in the container:mode`. */
    Binds: v.tuple([v.string()]),
    PortBindings: v.object({ '8080/tcp': v.tuple([v.object({ HostPort: v.string() })]) }),
    ExtraHosts: v.optional(v.array(v.string()), []),
  }),
});
export type NewContainer = v.InferOutput<typeof NewContainer>;

interface Container extends NewContainer {
  process?: ChildProcess;
}

/** Docker's name for the computer that runs the container. */
const computer = 'host.docker.internal';

/**
 * Stands in for Docker's daemon. Speaks the part of Docker's API that SAM uses. Runs each container's
 * function as a process of Node.js, with the folder and the variables that SAM gave the container.
 */
export class DockerStandIn {
  /** Every container that was requested. */
  readonly containers: readonly NewContainer[];
  /** Value of `DOCKER_HOST`. */
  readonly address: string;
  readonly #server: Server;
  readonly #all: Container[];

  private constructor(server: Server, address: string, all: Container[]) {
    this.#server = server;
    this.address = address;
    this.containers = all;
    this.#all = all;
  }

  static async start(): Promise<DockerStandIn> {
    const all: Container[] = [];
    const server = createServer((request, response) => void answer(request, response, all));
    server.on('upgrade', (request, socket) => {
      attach(request, socket, all);
    });
    const port = await listenOnLoopback(server);
    return new DockerStandIn(server, `tcp://127.0.0.1:${port}`, all);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(end));
    await closeAll(this.#server);
  }
}

const apiVersion = '1.44';
const digest = `sha256:${'0'.repeat(64)}`;

async function answer(request: IncomingMessage, response: ServerResponse, all: Container[]): Promise<void> {
  const body = await buffer(request);
  const [status, value] = await answerTo(`${request.method ?? ''} ${pathOf(request)}`, body, all);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Api-Version': apiVersion });
  response.flushHeaders();
  // An answer without a value is the stream of image events, which stays empty.
  if (value) response.end(JSON.stringify(value));
}

/** Returns the status and the body of an answer. */
async function answerTo(call: string, body: Buffer, all: Container[]): Promise<[number, object?]> {
  const [method = '', path = ''] = call.split(' ');
  if (path === '/_ping' || path === '/version') return [200, { ApiVersion: apiVersion }];
  if (path === '/events') return [200];
  // SAM asks whether the image exists, and whether it is the newest.
  if (/^\/images\/.+\/json$/.test(path))
    return [200, { Id: digest, RepoTags: ['image'], RepoDigests: [`image@${digest}`], Config: {} }];
  if (path.startsWith('/distribution/')) return [200, { Descriptor: { digest } }];
  if (path === '/containers/create') {
    all.push(v.parse(v.pipe(v.string(), v.parseJson(), NewContainer), body.toString()));
    return [201, { Id: String(all.length), Warnings: [] }];
  }
  const [, id, act] = /^\/containers\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
  const container = all[Number(id) - 1];
  if (!container) return [404, { message: `The stand-in for Docker does not know ${call}` }];
  if (act === 'start') container.process = run(container);
  if (method === 'DELETE' || act === 'kill' || act === 'stop') await end(container);
  const State = { Status: container.process ? 'running' : 'created' };
  return [200, { Id: id, State, Config: { Tty: false } }];
}

/**
 * Streams the output of a container in Docker's frames:
 * https://docs.docker.com/reference/api/engine/#tag/Container.
 */
function attach(request: IncomingMessage, socket: Duplex, all: Container[]): void {
  const [, id] = /^\/containers\/(\d+)\/attach$/.exec(pathOf(request)) ?? [];
  const output = all[Number(id) - 1]?.process?.stdout;
  socket.on('error', () => undefined);
  socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
  output?.on('data', (printed: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt8(1);
    head.writeUInt32BE(printed.length, 4);
    socket.write(Buffer.concat([head, printed]));
  });
  output?.once('end', () => socket.end());
}

const pathOf = ({ url = '' }: IncomingMessage) => url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '');

function run({ Env, HostConfig }: NewContainer): ChildProcess {
  const [bind] = HostConfig.Binds;
  const [{ HostPort }] = HostConfig.PortBindings['8080/tcp'];
  const knowsComputer = HostConfig.ExtraHosts.includes(`${computer}:host-gateway`);
  const env = Object.fromEntries(
    Env.map((variable): [string, string] => {
      const at = variable.indexOf('=');
      const value = variable.slice(at + 1);
      return [variable.slice(0, at), knowsComputer ? value.replace(computer, '127.0.0.1') : value];
    }),
  );
  const [folder = ''] = bind.split(':');
  const program = join(import.meta.dirname, 'function-process.ts');
  // The standard input ends with this process, and the program ends with its standard input.
  return spawn(process.execPath, [program, folder, HostPort], { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

async function end({ process: child }: Container): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
