import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HttpRequest } from '../../../infra/local/gateway/http-message.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { closeAll } from '../../../infra/local/loopback.ts';
import { httpServer, listen, type ServedRequest } from '../../../infra/local/server.ts';
import { sentences, type ErrorEnvelope } from '../../../shared/contract/errors.ts';

let requests: HttpRequest[];
/** Functions that let the request with a target be answered. Requests wait for them once `slow` is set. */
let release: Map<string, () => void>;
let slow: boolean;
let served: ServedRequest[];
let server: ReturnType<typeof httpServer>;
beforeEach(async () => {
  requests = [];
  release = new Map();
  slow = false;
  served = [];
  server = httpServer(
    async (request) => {
      requests.push(request);
      server.emit('asked');
      if (request.target === '/broken') throw new LocalError('It does not build');
      if (slow) await new Promise<void>((resolve) => release.set(request.target, resolve));
      return { status: 200, headers: { 'X-Own': 'yes' }, body: '{}', outcomes: [] };
    },
    (line) => served.push(line),
  );
  await listen(server, 0);
});
afterEach(() => closeAll(server));

const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1');

/** Sends raw bytes. Returns everything that comes back until the server closes. */
async function send(bytes: string): Promise<string> {
  const socket = open();
  socket.write(bytes);
  return text(socket);
}

/** Waits until the handler behind the server got that many requests. */
async function asked(times: number): Promise<void> {
  while (requests.length < times) await once(server, 'asked');
}

const head = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');
/** A request that leaves the connection open for the next one. */
const following = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', ...headers, '', ''].join('\r\n');

/** Parses the one error that came back, in the envelope. */
function errorOf(answer: string) {
  const [, status, id, body] =
    /^HTTP\/1\.1 (\d+) [\s\S]+X-Request-Id: (\S+)\r\n[\s\S]+\r\n\r\n(.+)$/.exec(answer) ?? [];
  const envelope = JSON.parse(body ?? 'null') as ErrorEnvelope;
  expect(envelope).toMatchObject({ success: false, error: { status: Number(status) }, requestId: id });
  return envelope.error;
}

test('passes a request on as it came, and reports its cost', async () => {
  const answer = await send(
    `${head('POST /a?b=c HTTP/1.1', 'Content-Length: 5', 'X-Twice: 1', 'x-twice: 2')}hello`,
  );
  expect(answer).toMatch(
    /^HTTP\/1\.1 200 OK\r\nX-Own: yes\r\nContent-Length: 2\r\nX-Local-Cost: calls=0 read=0 write=0\r\n/,
  );
  expect(requests[0]).toMatchObject({ method: 'POST', target: '/a?b=c', body: Buffer.from('hello') });
  expect(requests[0]!.headers.slice(-2)).toEqual([
    ['X-Twice', '1'],
    ['x-twice', '2'],
  ]);
  expect(served).toMatchObject([{ method: 'POST', path: '/a', status: 200 }]);
});

test('answers bytes that are no HTTP in the envelope', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`),
    head('FROB / HTTP/1.1'),
    head('CONNECT localhost:80 HTTP/1.1'),
  ]) {
    expect(errorOf(await send(bytes))).toEqual({ status: 400, message: sentences.badRequest });
  }
  expect(requests).toEqual([]);
});

test('answers a mistake in the sources in the envelope, and prints it to the terminal', async () => {
  const answer = await send(head('GET /broken HTTP/1.1'));
  expect(errorOf(answer)).toEqual({ status: 500, message: 'It does not build' });
  expect(served[0]?.troubles).toEqual(['It does not build']);
});

test('refuses a body that is too large for Lambda, after reading it', async () => {
  const size = 6 * 1024 * 1024 + 1;
  const answer = await send(head('POST / HTTP/1.1', `Content-Length: ${size}`) + 'x'.repeat(size));
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(requests).toEqual([]);
});

test('prints nothing about a client that disconnects halfway', async () => {
  const socket = open();
  const connected = once(server, 'connection') as Promise<[Socket]>;
  socket.write(head('POST / HTTP/1.1', 'Content-Length: 1000') + 'half');
  const [arrived] = await connected;
  socket.destroy();
  await once(arrived, 'close');
  await send(head('GET /after HTTP/1.1'));
  expect(served.map(({ path }) => path)).toEqual(['/after']);
});

test("answers a connection's requests in order before bytes that are no HTTP", async () => {
  slow = true;
  const answer = send(
    `${following('GET /1 HTTP/1.1')}${following('GET /2 HTTP/1.1')}nonsense\r\n\r\n${following('GET /3 HTTP/1.1')}`,
  );
  await asked(2);
  release.get('/2')!();
  release.get('/1')!();
  const [first, second, ...rest] = (await answer).split(/(?=HTTP\/1\.1 )/);
  expect([first, second]).toEqual([expect.stringMatching(/ 200 OK/), expect.stringMatching(/ 200 OK/)]);
  expect(errorOf(rest.join(''))).toEqual({ status: 400, message: sentences.badRequest });
  expect(served.map(({ path }) => path)).toEqual(['/2', '/1']);
});

test.each(['destroy', 'resetAndDestroy'] as const)(
  'goes on when a client with a request under way sends what is no HTTP and goes away (%s)',
  async (leave) => {
    slow = true;
    const socket = open();
    const connected = once(server, 'connection') as Promise<[Socket]>;
    socket.write(`${following('GET /1 HTTP/1.1')}${following('GET /2 HTTP/1.1')}nonsense\r\n\r\n`);
    const [arrived] = await connected;
    await asked(2);
    socket[leave]();
    await new Promise((resolve) => arrived.once('close', resolve));
    slow = false;
    for (const done of release.values()) done();
    expect(await send(head('GET /after HTTP/1.1'))).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test('does not execute a request that arrived too slowly, even if it arrives completely', async () => {
  const socket = open();
  const answer = text(socket);
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const begun = once(server, 'request');
  socket.write(`${following('POST /slow HTTP/1.1', 'Content-Length: 4')}ha`);
  const [arrived] = await connected;
  await begun;
  // Node.js does this when `requestTimeout` is over.
  server.emit('clientError', new Error('Request timeout'), arrived);
  await once(socket, 'data');
  const closed = once(arrived, 'close');
  socket.end('lf');
  expect(errorOf(await answer)).toEqual({ status: 400, message: sentences.badRequest });
  await closed;
  expect(requests).toEqual([]);
});

test('refuses a request that names no host, or more than one', async () => {
  for (const hosts of [[], ['Host: localhost', 'Host: localhost']]) {
    const answer = await send(['GET / HTTP/1.1', ...hosts, 'Connection: close', '', ''].join('\r\n'));
    expect(errorOf(answer)).toEqual({ status: 400, message: sentences.noHost });
  }
  expect(requests).toEqual([]);
  expect(await send('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

test.each(['LOCALHOST:3000', 'localhost.', '127.1.2.3', '[::1]:3000'])(
  'answers the host %s',
  async (host) => {
    const line = (target: string) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(await send(line('/'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(line(`http://${host}/`))).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test.each([
  'evil.example',
  'localhost.evil.example',
  'localhost@evil.example',
  '127.0.0.1.evil.example',
  '0.0.0.0:3000',
  '[::2]:3000',
  'localhost:port',
  '',
])('refuses the host "%s", in the header or in the target', async (host) => {
  const inHeader = `POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`;
  const inTarget = head(`GET HTTP://${host}/v1/leads HTTP/1.1`);
  for (const bytes of [inHeader, inTarget]) {
    const { status } = errorOf(await send(bytes));
    expect(status).toBe(400);
  }
  expect(requests).toEqual([]);
});

test('answers Expect: 100-continue, and refuses any other expectation', async () => {
  const socket = open();
  const answer = text(socket);
  socket.write(head('POST /a HTTP/1.1', 'Content-Length: 5', 'Expect: 100-continue'));
  await once(socket, 'data');
  expect(requests).toEqual([]);
  socket.write('hello');
  expect(await answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  expect(requests[0]).toMatchObject({ body: Buffer.from('hello') });

  // The body is never sent.
  const refused = await send(head('POST /b HTTP/1.1', 'Content-Length: 5', 'Expect: foo'));
  expect(errorOf(refused)).toEqual({ status: 400, message: sentences.unknownExpectation });
  expect(requests).toHaveLength(1);
});
