import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { listenOnLoopback } from '../../../../infra/local/loopback.ts';
import { newPostWebhook } from '../../../../shared/http/clients/post-webhook.ts';
import { patience } from '../../../support/patience.ts';
import type { Lookup } from '../../../../shared/http/clients/reachable-address.ts';

/** Lookup that answers with the next of these lists of addresses, and repeats the last list for ever. */
function lookupOf(...answers: string[][]): Lookup {
  const left = [...answers];
  return (_host, _options, callback) => {
    const addresses = (left.length > 1 ? left.shift() : left[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    process.nextTick(callback, null, found);
  };
}

describe('the addresses', () => {
  const refused = -111;
  let attempts: string[] = [];
  let restore: () => void = () => undefined;

  // Connections end in this list: none leaves the process, not even if the check of addresses is broken.
  beforeAll(async () => {
    const server = createTcpServer();
    await listenOnLoopback(server);
    type Connect = (request: object, address: string, port: number) => number;
    const { _handle } = server as unknown as { _handle: { connect: Connect; connect6: Connect } };
    const tcp = Object.getPrototypeOf(_handle) as { connect: Connect; connect6: Connect };
    const { connect, connect6 } = tcp;
    const sink: Connect = (_request, address, port) => {
      attempts.push(`${address} ${port}`);
      return refused;
    };
    Object.assign(tcp, { connect: sink, connect6: sink });
    restore = () => Object.assign(tcp, { connect, connect6 });
    server.close();
  });
  afterAll(() => {
    restore();
  });
  afterEach(() => {
    attempts = [];
  });

  const unanswered = (failure: string) => ({
    status: undefined,
    failure,
    body: '',
    milliseconds: expect.any(Number) as number,
  });
  const postTo = (url: string, ...answers: string[][]) =>
    newPostWebhook({ lookup: lookupOf(...answers) })(url, {}, '{}');

  test.each([
    ['https://8.8.8.8/hook', []],
    ['https://[2606:4700::1111]:443/hook', []],
    ['https://receiver.example/', ['1.1.1.1']],
    ['https://receiver.example/', ['2606:4700::1111', '1.1.1.1']],
  ])('%s at %j is connected to at port 443', async (url, found) => {
    expect(await postTo(url, found)).toEqual(unanswered('CONNECTION'));
    const literal = new URL(url).hostname.replace(/[[\]]/g, '');
    expect(attempts).toEqual((found.length > 0 ? found : [literal]).map((address) => `${address} 443`));
  });

  const inside = [
    // This computer, with the runtime API of Lambda
    ...['127.0.0.1', '127.0.0.53', '127.255.255.255', '::1'],
    // No address, or any
    ...['0.0.0.0', '0.1.2.3', '::'],
    // Private
    ...[
      '10.0.0.1',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      'fc00::1',
      'fd12:3456::1',
    ],
    // Link-local, with the metadata of clouds
    ...['169.254.169.254', '169.254.170.2', '169.254.100.1', 'fe80::1', 'fd00:ec2::254', '192.0.0.192'],
    // Carrier-grade NAT
    ...['100.64.0.1', '100.100.100.200', '100.127.255.255'],
    // Multicast, broadcast, benchmarks, documentation, reserved
    ...[
      '224.0.0.1',
      '239.255.255.250',
      '255.255.255.255',
      '198.18.0.1',
      '192.0.2.1',
      '203.0.113.9',
      '240.0.0.1',
    ],
    ...['ff02::1', '2001:db8::1', '3fff::1', 'fec0::1', '100::1', '5f00::1', '4000::1'],
    // IPv4 in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1', '::7f00:1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::1', '2001:0:7f00:1::1'],
  ];

  test.each(inside)('%s is refused, in a URL and as the address of a name', async (address) => {
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await postTo(`https://${literal}/`)).toEqual(unanswered('ADDRESS'));
    expect(await postTo('https://receiver.example/', [address])).toEqual(unanswered('ADDRESS'));
    expect(await postTo('https://receiver.example/', ['1.1.1.1', address])).toEqual(unanswered('ADDRESS'));
    expect(attempts).toEqual([]);
  });

  test.each([
    // Spellings of 127.0.0.1 and of 169.254.169.254
    ...[
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '127.0.1',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
      '%31%32%37.1',
    ],
    ...[
      '0xa9fea9fe',
      '2852039166',
      '0251.0376.0251.0376',
      '[::ffff:a9fe:a9fe]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
      '0',
    ],
  ])('https://%s/ is refused as the address that it is', async (host) => {
    expect(await postTo(`https://${host}/`, ['1.1.1.1'])).toEqual(unanswered('ADDRESS'));
    expect(attempts).toEqual([]);
  });

  test.each([
    'localhost',
    'localhost.',
    'LOCALHOST',
    'receiver.localhost',
    '127.0.0.1.nip.io',
    'metadata.google.internal',
  ])('the name %s is refused for its address', async (host) => {
    expect(await postTo(`https://${host}/`, ['127.0.0.1'])).toEqual(unanswered('ADDRESS'));
    expect(attempts).toEqual([]);
  });

  test.each([
    'http://receiver.example/',
    'https://receiver.example:8443/',
    'https://receiver.example:80/',
    'http://receiver.example:443/',
    'ftp://receiver.example/',
    'https://user:password@receiver.example/',
    'file:///etc/passwd',
    'no URL',
  ])('%s is refused', async (url) => {
    expect(await postTo(url, ['1.1.1.1'])).toEqual(unanswered('ADDRESS'));
    expect(attempts).toEqual([]);
  });

  test('a name is looked up for each connection, and its addresses are the ones that are connected to', async () => {
    const post = newPostWebhook({ lookup: lookupOf(['1.1.1.1'], ['127.0.0.1'], []) });
    const outcomes: unknown[] = [];
    while (outcomes.length < 3) outcomes.push((await post('https://receiver.example/', {}, '{}')).failure);
    expect(outcomes).toEqual(['CONNECTION', 'ADDRESS', 'ADDRESS']);
    expect(attempts).toEqual(['1.1.1.1 443']);
  });
});

describe('with a receiver on this computer', () => {
  const local = newPostWebhook({
    reachesLoopback: true,
    limits: { attempt: patience, answer: patience },
    system: { now: () => Date.parse('2026-11-02T13:00:00Z') },
  });
  const hasty = newPostWebhook({ reachesLoopback: true, limits: { attempt: 60, answer: 60 } });
  const hastyOnceAnswered = newPostWebhook({
    reachesLoopback: true,
    limits: { attempt: patience, answer: 60 },
  });

  async function listening(server: Server) {
    const port = await listenOnLoopback(server);
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    return { port, url: `http://127.0.0.1:${port}/hook?a=b`, [Symbol.dispose]: close };
  }
  const receiver = (answer: RequestListener) => listening(createServer(answer));

  /** Receiver that does something with each of its connections once a request has begun. */
  async function rawReceiver(act: (socket: Socket, connection: number) => void) {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      const connection = sockets.push(socket);
      socket.on('error', () => socket.destroy());
      socket.on('data', () => {
        act(socket, connection);
      });
    });
    const port = await listenOnLoopback(server);
    const close = () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    return { url: `http://localhost:${port}/`, sockets, [Symbol.dispose]: close };
  }

  test('the request is a POST of JSON with the headers, and the answer is told', async () => {
    const got: unknown[] = [];
    using at = await receiver((request, response) => {
      const { method, url, headers } = request;
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        got.push({ method, url, headers, body });
        response.end('Thank you');
      });
    });
    const posted = await local(at.url, { 'webhook-id': 'org-1-7' }, '{"name":"Zoë"}');
    expect(posted).toEqual({ status: 200, body: 'Thank you', milliseconds: expect.any(Number) as number });
    const headers = {
      host: `127.0.0.1:${at.port}`,
      connection: 'keep-alive',
      'webhook-id': 'org-1-7',
      'content-type': 'application/json',
      'content-length': '15',
      'user-agent': 'sales-pipeline-service',
    };
    expect(got).toEqual([{ method: 'POST', url: '/hook?a=b', headers, body: '{"name":"Zoë"}' }]);
  });

  test('a connection is used again', async () => {
    const server = createServer((_request, response) => response.writeHead(204).end());
    using at = await listening(server);
    let connections = 0;
    server.on('connection', () => connections++);
    const posts = [await local(at.url, {}, '{}'), await local(at.url, {}, '{}')];
    expect(posts).toMatchObject([
      { status: 204, body: '' },
      { status: 204, body: '' },
    ]);
    expect(connections).toBe(1);
  });

  test('a kept connection that the receiver closes is replaced, once', async () => {
    using at = await rawReceiver((socket, connection) => {
      const requests = (counts[connection] = (counts[connection] ?? 0) + 1);
      if (requests === 2 || connection === 3) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n' + String(connection));
    });
    const counts: number[] = [];
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: 200, body: '1' });
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: 200, body: '2' });
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: undefined, failure: 'CONNECTION' });
    expect(at.sockets.length).toBe(3);
  });

  test.each([
    ['part of its headers', 'HTTP/1.1 200 OK\r\nA: b\r\n'],
    ['one byte', 'H'],
    ['a hint', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['another protocol', '220 mail.example ESMTP\r\n'],
    [
      'another protocol after its headers',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(10_000)}`],
  ])('a receiver that answers %s on a kept connection gets the request once', async (_, begun) => {
    let requests = 0;
    using at = await rawReceiver((socket) => {
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else socket.end(begun);
    });
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: 200 });
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: undefined, failure: 'CONNECTION' });
    expect(requests).toBe(2);
  });

  test.each([
    [{ 'retry-after': '120' }, 120_000],
    [{ 'retry-after': 'Mon, 02 Nov 2026 13:05:00 GMT' }, 300_000],
    [{ 'retry-after': 'Mon, 02 Nov 2026 12:00:00 GMT' }, 0],
    [{ 'retry-after': '1.5' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon GMT' }, undefined],
    [{}, undefined],
  ])('%j asks for a wait of %s milliseconds', async (headers, retryAfter) => {
    using at = await receiver((_request, response) => response.writeHead(429, headers).end('later'));
    const posted = await local(at.url, {}, '{}');
    expect(posted).toMatchObject({ status: 429, body: 'later' });
    expect(posted.retryAfter).toBe(retryAfter);
  });

  test.each([200, 302, 307, 410, 500])('the status %i is told, and no redirect followed', async (status) => {
    let requests = 0;
    using at = await receiver((_request, response) => {
      requests++;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await local(at.url, {}, '{}')).toMatchObject({ status, body: '' });
    expect(requests).toBe(1);
  });

  test('an answer of a gigabyte is cut, and its connection closed', async () => {
    let sent = 0;
    const part = 'a'.repeat(65_536);
    const write = (socket: Socket) => {
      while (sent < 2 ** 30 && socket.writable && socket.write(part)) sent += part.length;
    };
    using at = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n');
      socket.on('drain', () => {
        write(socket);
      });
      write(socket);
    });
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: 200, body: 'a'.repeat(1000) });
    await vi.waitFor(() => {
      expect(at.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    }, patience);
    expect(sent).toBeLessThan(2 ** 26);
  });

  test.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
    ['a control character', Buffer.from('a\u0000b\u001b[2J\n'), 'ab[2J\n'],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80]), '\uFFFD\uFFFD\uFFFD'],
    ['a character that the cut splits', Buffer.from('x' + 'é'.repeat(600)), 'x' + 'é'.repeat(511)],
    ['1,000 characters beyond the first plane', Buffer.from('😀'.repeat(1000)), '😀'.repeat(256)],
  ])('%s becomes valid text', async (_what, sent, body) => {
    using at = await receiver((_request, response) => response.end(sent));
    expect(await local(at.url, {}, '{}')).toMatchObject({ status: 200, body });
  });

  const begun = 'HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf';
  test.each<[string, ReturnType<typeof newPostWebhook>, (socket: Socket) => void, object]>([
    ['says nothing', hasty, () => undefined, { failure: 'TIMEOUT' }],
    [
      'begins its headers',
      hasty,
      (socket) => socket.write('HTTP/1.1 200 OK\r\nA: b\r\n'),
      { failure: 'TIMEOUT' },
    ],
    [
      'hints for ever',
      hasty,
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'),
      { failure: 'TIMEOUT' },
    ],
    [
      'stops in its answer',
      hastyOnceAnswered,
      (socket) => socket.write(begun),
      { status: 201, body: 'half' },
    ],
    ['closes at once', local, (socket) => socket.destroy(), { failure: 'CONNECTION' }],
    ['closes in its answer', local, (socket) => socket.end(begun), { status: 201, body: 'half' }],
    [
      'breaks off its answer',
      local,
      (socket) => socket.write(begun, () => socket.resetAndDestroy()),
      { status: 201 },
    ],
    [
      'ends without a length',
      local,
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall'),
      { status: 200, body: 'all' },
    ],
  ])('a receiver that %s', async (_does, post, act, expected) => {
    using at = await rawReceiver(act);
    expect(await post(at.url, {}, '{}')).toMatchObject({ status: undefined, ...expected });
  });

  test('a port without a receiver is a failure of the connection', async () => {
    const { url, [Symbol.dispose]: close } = await receiver(() => undefined);
    close();
    expect(await local(url, {}, '{}')).toMatchObject({ status: undefined, failure: 'CONNECTION' });
  });

  test('TLS takes a certificate that is trusted and for its host, and nothing else', async () => {
    const generated = (name: string) =>
      generate([{ name: 'commonName', value: name }], { keyType: 'ec', algorithm: 'sha256' });
    const [right, other] = await Promise.all(['localhost', 'receiver.example'].map(generated));
    const answer: RequestListener = (_request, response) => response.end('safe');
    using at = await listening(createHttpsServer({ key: right!.private, cert: right!.cert }, answer));
    using elsewhere = await listening(createHttpsServer({ key: other!.private, cert: other!.cert }, answer));
    using plain = await receiver(answer);
    const postTo = ({ port }: { port: number }, ca?: string) =>
      newPostWebhook({ reachesLoopback: true, ...(ca && { ca }) })(`https://localhost:${port}/`, {}, '{}');
    expect(await postTo(at, right!.cert)).toMatchObject({ status: 200, body: 'safe' });
    const failed = { status: undefined, failure: 'TLS', body: '' };
    expect(await postTo(at)).toMatchObject(failed);
    expect(await postTo(elsewhere, other!.cert)).toMatchObject(failed);
    expect(await postTo(plain, right!.cert)).toMatchObject(failed);
  });

  test('the rules for all other hosts stay', async () => {
    let requests = 0;
    using at = await receiver((_request, response) => response.end(String(++requests)));
    const posts = newPostWebhook({ reachesLoopback: true, lookup: lookupOf(['127.0.0.1']) });
    const inside = newPostWebhook({ reachesLoopback: true, lookup: lookupOf(['10.0.0.1']) });
    const refused = { status: undefined, failure: 'ADDRESS' };
    for (const url of [
      `http://receiver.example:${at.port}/`,
      'https://receiver.example/',
      'ftp://localhost/',
    ])
      expect(await posts(url, {}, '{}')).toMatchObject(refused);
    expect(await inside(`http://localhost:${at.port}/`, {}, '{}')).toMatchObject(refused);
    expect(await newPostWebhook()(at.url, {}, '{}')).toMatchObject(refused);
    expect(requests).toBe(0);
    expect(await posts(`http://localhost:${at.port}/`, {}, '{}')).toMatchObject({ status: 200 });
  });
});
