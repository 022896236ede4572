import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ContainerProxy, openContainerProxy } from '../../../infra/local/proxies/container-proxy.ts';
import { freePort } from '../../../infra/local/engine.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';

/** Stands in for an engine, and records the calls. */
const seen: IncomingHttpHeaders[] = [];
const engine = createServer((request, response) => {
  seen.push(request.headers);
  request.resume().on('end', () => response.end('{"TableNames":["Table"]}'));
});
let engineEndpoint: string;
const doors: ContainerProxy[] = [];
const open = async (
  options: { host?: string; port?: number; isAskedFor?: boolean } = {},
  interfaces?: Parameters<typeof openContainerProxy>[2],
) => {
  const at = { host: '127.0.0.1', port: 0, isAskedFor: true, ...options };
  const door = await openContainerProxy(Promise.resolve(engineEndpoint), at, interfaces);
  doors.push(door);
  return door;
};
beforeEach(async () => {
  seen.splice(0);
  engineEndpoint = `http://127.0.0.1:${await listenOnLoopback(engine)}`;
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
  await closeAll(engine);
});

test('every caller sees the same database, whatever its credentials', async () => {
  const { endpoint = '' } = await open();
  for (const [accessKeyId, region] of [
    ['defaultkey', 'us-east-1'],
    ['AKIAIOSFODNN7EXAMPLE', 'ap-southeast-2'],
  ] as const) {
    const credentials = { accessKeyId, secretAccessKey: 'x' };
    const caller = new DynamoDBClient({ endpoint, region, credentials });
    expect(await caller.send(new ListTablesCommand({}))).toMatchObject({ TableNames: ['Table'] });
  }
  const keys = seen.map(({ authorization = '' }) => /Credential=(\w+)/.exec(authorization)?.[1]);
  expect(keys).toEqual(['local', 'local']);
});

const send = async (endpoint: string, headers: Record<string, string>, localAddress?: string) => {
  const sent = request(endpoint, { method: 'POST', headers, localAddress });
  sent.end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
};

test.each(['host.docker.internal:18000', 'HOST.docker.internal', 'localhost', '127.0.0.1:18000'])(
  'it is called by a name of this computer: %s',
  async (host) => {
    const { endpoint = '' } = await open();
    expect(await send(endpoint, { Host: host })).toMatchObject({ status: 200 });
  },
);

test.each([
  { Host: 'rebound.example' },
  { Host: 'host.docker.internal.example:18000' },
  { Host: '127.0.0.2.example' },
  { Host: 'localhost', Origin: 'https://page.example' },
  { Host: 'localhost', Origin: 'null' },
])('a web page that calls it by %j is refused, and never reaches the engine', async (headers) => {
  const { endpoint = '' } = await open();
  const answer = await send(endpoint, headers);
  expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('AccessDenied') as string });
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  expect(seen).toEqual([]);
});

test('it listens at the requested address, and answers to that name', async () => {
  const { endpoint = '', sentence } = await open({ host: '127.0.0.3' });
  expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.3:\d+$/);
  expect(sentence).toContain(endpoint);
  expect(await send(endpoint, { Host: new URL(endpoint).host })).toMatchObject({ status: 200 });
});

const inNetwork = (address: string, bits = 24) => ({
  address,
  cidr: `${address}/${bits}`,
  family: 'IPv4' as const,
  netmask: '',
  mac: '',
  internal: false,
});

test.each(['0.0.0.0', '10.1.2.3', '172.20.0.7'])(
  'it does not listen where other computers could call it: %s',
  async (host) => {
    const interfaces = { wlan0: [inNetwork('10.1.2.3')], 'br-lan': [inNetwork('172.20.0.7')] };
    await expect(open({ host }, () => interfaces)).rejects.toThrow(
      new LocalError(
        `--engine-host must be 127.0.0.1, or the address of Docker's bridge, such as 172.17.0.1, not "${host}", where other computers could read the whole database.`,
      ),
    );
  },
);

/** An address of this computer other than loopback. A call from it looks like another computer's. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test.runIf(outside)('another computer is refused, and a container at a bridge of Docker is not', async () => {
  let name = 'eth0';
  const { endpoint = '' } = await open({}, () => ({ [name]: [inNetwork(outside!)] }));
  const answer = () => send(endpoint, { Host: 'localhost' }, outside);
  expect(await answer()).toMatchObject({ status: 400, body: expect.stringContaining('Only this') as string });
  expect(seen).toEqual([]);
  for (name of ['docker0', 'br-0123456789ab']) expect(await answer()).toMatchObject({ status: 200 });
});

test.runIf(outside)(
  'this computer calls it by the address of a bridge, with a container or without',
  async () => {
    for (const interfaces of [{ docker0: [inNetwork(outside!)] }, {}]) {
      const { endpoint = '' } = await open({ host: outside! }, () => interfaces);
      expect(await send(endpoint, {})).toMatchObject({ status: 200 });
    }
  },
);

test('calls wait until the engine has started', async () => {
  const ready = Promise.withResolvers<string>();
  const port = await freePort();
  doors.push(await openContainerProxy(ready.promise, { host: '127.0.0.1', port, isAskedFor: true }));
  const answer = send(`http://127.0.0.1:${port}`, {});
  ready.resolve(engineEndpoint);
  expect(await answer).toMatchObject({ status: 200 });
});

test('a port in use fails a start that requested it, and no other', async () => {
  const { endpoint = '' } = await open();
  const port = Number(new URL(endpoint).port);
  await expect(open({ port })).rejects.toThrow(
    new LocalError(
      `Port ${port} is in use: stop what is running there, or choose another with --engine-port.`,
    ),
  );
  expect(await open({ port, isAskedFor: false })).toMatchObject({
    endpoint: undefined,
    sentence: `The database is not open to containers: port ${port} is in use (--engine-port names another).`,
  });
});

test('an address that this computer does not have is reported in one sentence', async () => {
  await expect(open({ host: '192.0.2.1' })).rejects.toThrow(
    new LocalError('--engine-host must be an address of this computer, such as 127.0.0.1, not "192.0.2.1".'),
  );
});
