import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { gracefulShutdown } from '../../../infra/local/connections.ts';
import { listenOnLoopback } from '../../../infra/local/loopback.ts';

test('requests under way have a second to finish; the rest is cut off and counted', async () => {
  const second = Promise.withResolvers<undefined>();
  const slept: number[] = [];
  const server = createServer();
  const end = gracefulShutdown(server, {
    sleep: (milliseconds) => {
      slept.push(milliseconds);
      return second.promise;
    },
  });
  const port = await listenOnLoopback(server);
  const arrived = async () => {
    const sent = request({ host: '127.0.0.1', port }).end();
    const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    return { response, answer: once(sent, 'response') as Promise<[IncomingMessage]> };
  };
  const [quick, slow] = [await arrived(), await arrived()];
  const cut = expect(slow.answer).rejects.toThrow('socket hang up');
  const unanswered = end();

  await expect(once(request({ host: '127.0.0.1', port }).end(), 'response')).rejects.toThrow('ECONNREFUSED');
  quick.response.end();
  const [answer] = await quick.answer;
  expect(answer).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  answer.resume();
  await once(answer, 'close');

  second.resolve(undefined);
  expect(await unanswered).toBe(1);
  await cut;
  expect(slept).toEqual([1000]);
});
