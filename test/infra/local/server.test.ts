import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WireRequest } from '../../../infra/local/gateway.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { httpServer, listen, type Served } from '../../../infra/local/server.ts';

let requests: WireRequest[];
let served: Served[];
let server: ReturnType<typeof httpServer>;
beforeEach(async () => {
  requests = [];
  served = [];
  server = httpServer(
    (request) => {
      requests.push(request);
      if (request.target === '/broken') throw new LocalError('It does not build');
      return Promise.resolve({ status: 200, headers: { 'X-Own': 'yes' }, body: '{}', outcomes: [] });
    },
    (line) => served.push(line),
  );
  await listen(server, 0);
});
afterEach(() => server.close());

/** Sends raw bytes; what comes back until the server closes. */
async function send(bytes: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

const head = (line: string, ...headers: string[]) =>
  [line, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');

test('hands a request on as it came, and tells what it cost', async () => {
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

test('answers what is no HTTP in the envelope', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`),
    head('FROB / HTTP/1.1'),
  ]) {
    const answer = await send(bytes);
    const [, id, body] =
      /^HTTP\/1\.1 400 [\s\S]+X-Request-Id: (\S+)\r\n[\s\S]+\r\n\r\n(.+)$/.exec(answer) ?? [];
    expect(JSON.parse(body ?? '')).toMatchObject({ success: false, error: { status: 400 }, requestId: id });
  }
  expect(requests).toEqual([]);
});

test('answers a mistake in the sources in the envelope, and tells it at the terminal', async () => {
  const answer = await send(head('GET /broken HTTP/1.1'));
  const [, id, body] =
    /^HTTP\/1\.1 500 [\s\S]+X-Request-Id: (\S+)\r\n[\s\S]+\r\n\r\n(.+)$/.exec(answer) ?? [];
  expect(JSON.parse(body ?? '')).toMatchObject({
    error: { status: 500, message: 'It does not build' },
    requestId: id,
  });
  expect(served[0]?.troubles).toEqual(['It does not build']);
});

test('refuses a body that is too large for Lambda, once it has been read', async () => {
  const size = 6 * 1024 * 1024 + 1;
  const answer = await send(head('POST / HTTP/1.1', `Content-Length: ${size}`) + 'x'.repeat(size));
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(requests).toEqual([]);
});

test('says nothing of a client that goes away in the middle', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  socket.write(head('POST / HTTP/1.1', 'Content-Length: 1000') + 'half');
  const [arrived] = await connected;
  socket.destroy();
  await once(arrived, 'close');
  await send(head('GET /after HTTP/1.1'));
  expect(served.map(({ path }) => path)).toEqual(['/after']);
});
