import { once } from 'node:events';
import { createServer, connect, type LookupFunction, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectToLoopbackAlone } from '../../../infra/local/functions/loopback-alone.ts';
import { listenOnLoopback } from '../../../infra/local/loopback.ts';

let end: () => void;
/** Names that were looked up. Each lookup fails, so that nothing is ever sent to another computer. */
let lookedUp: string[];
const lookup: LookupFunction = (host, _, callback) => {
  lookedUp.push(host);
  callback(new Error('No names here'), '');
};
beforeEach(() => {
  lookedUp = [];
  end = connectToLoopbackAlone();
});
afterEach(() => {
  end();
});
const failureOf = async (socket: Socket) => ((await once(socket, 'error')) as [Error])[0].message;

test('a socket of a function does not connect to another computer, and looks up no name', async () => {
  expect(await failureOf(connect({ host: 'crm.example.com', port: 443, lookup }))).toBe(
    'connect ENETUNREACH crm.example.com',
  );
  expect(lookedUp).toEqual([]);
  end();
  expect(await failureOf(connect({ host: 'crm.example.com', port: 443, lookup }))).toBe('No names here');
  expect(lookedUp).toEqual(['crm.example.com']);
});

test('a socket connects to this computer', async () => {
  const server = createServer((socket) => socket.end());
  const port = await listenOnLoopback(server);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  server.close();
});
