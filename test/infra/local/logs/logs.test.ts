import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { accessLineOf } from '../../../../infra/local/template/logs.ts';
import { DeadLetters, type MessageSender } from '../../../../infra/local/workers/dead-letters.ts';
import { functionLines, Logs } from '../../../../infra/local/logs.ts';
import { newFolder } from '../../../support/new-folder.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

test.each(['path', 'identity.sourceIp', 'error.message', 'authorizer.token', 'resourcepath', 'toString'])(
  'a line of the access log cannot have $context.%s',
  (name) => {
    const read = () => accessLineOf(`{"a":"$context.${name}"}`);
    expect(read).toThrow(LocalError);
    expect(read).toThrow(`$context.${name}, which the local machine does not know`);
  },
);

test('a line of the access log has - for a missing value', () => {
  const line = accessLineOf('{"time":"$context.requestTime","by":"$context.error.responseType"}');
  const access = { requestId: 'r1', method: 'GET', route: '/', status: 200, length: 12, milliseconds: 34 };
  expect(JSON.parse(line({ ...access, at: Date.UTC(2026, 10, 2, 9, 5, 7) }))).toEqual({
    time: '02/Nov/2026:09:05:07 +0000',
    by: '-',
  });
});

test('a function that fails logs its own output, and the error as Lambda writes it', () => {
  const error = { type: 'Error', message: 'No', stack: 'Error: No\n    at here' };
  const [written, thrown, ...others] = functionLines({ id: 'f1', output: 'one\n', error }, 0);
  expect(written).toBe('one');
  expect(others).toEqual([]);
  expect(thrown!.split('\t').slice(0, 4)).toEqual([
    '1970-01-01T00:00:00.000Z',
    'f1',
    'ERROR',
    'Invoke Error ',
  ]);
  expect(JSON.parse(thrown!.split('\t')[4]!)).toEqual({
    errorType: 'Error',
    errorMessage: 'No',
    stack: ['Error: No', '    at here'],
  });
});

test('logs are files, which each start writes anew', () => {
  const logs = join(folder, 'logs');
  const read = (group: string) => readFileSync(join(logs, `${group}.log`), 'utf8');
  const first = new Logs(logs);
  first.write('api', 'one', 'three');
  first.write('workers', 'two');
  expect([read('api'), read('workers')]).toEqual(['one\nthree\n', 'two\n']);
  const second = new Logs(logs);
  second.write('api', 'four');
  expect(read('api')).toBe('four\n');
  expect(() => read('workers')).toThrow();
});

test('dead letters are lines of a file; messages can be put back into their queues, and events stay', () => {
  const folderOfLetters = join(folder, 'letters');
  const letters = new DeadLetters(folderOfLetters);
  const outcome = { id: 'f1', output: '', error: { type: 'Error', message: 'No', stack: '' } };
  letters.add({ queue: 'Q', functionName: 'F', event: { a: 1 }, tries: 3, outcome }, 0);
  for (const body of ['a', 'b'])
    letters.add({ queue: 'Q', source: 'Queue', message: { id: body, body, sentAt: 7, receives: 6 } }, 0);
  const lines = () =>
    readFileSync(join(folderOfLetters, 'Q.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  expect(lines()[0]).toMatchObject({
    requestContext: { requestId: 'f1', functionArn: 'F', condition: 'RetriesExhausted' },
    requestPayload: { a: 1 },
    responsePayload: { errorType: 'Error', errorMessage: 'No' },
  });
  expect(lines()[1]).toEqual({
    messageId: 'a',
    body: 'a',
    attributes: {
      SentTimestamp: '7',
      ApproximateReceiveCount: '6',
      DeadLetterQueueSourceArn: expect.stringMatching(/:Queue$/) as string,
    },
  });
  const sent: unknown[][] = [];
  const queues: MessageSender = { send: (...message) => sent.push(message) };
  expect([letters.redrive(queues), letters.redrive(queues)]).toEqual([2, 0]);
  expect(sent).toEqual([
    ['Queue', 'a', undefined],
    ['Queue', 'b', undefined],
  ]);
  expect(lines()).toMatchObject([{ requestContext: { functionArn: 'F' } }]);
});
