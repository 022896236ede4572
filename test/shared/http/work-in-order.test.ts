import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { worker } from '../../../shared/contract/worker.ts';
import { workInOrder } from '../../../shared/http/work.ts';
import { contextWith, linesOf } from './invocation.ts';

const send = worker({
  name: 'send',
  summary: 'Sends',
  breaks: 'Nothing.',
  on: { fifoQueue: { maxConcurrency: 10, visibilitySeconds: 60 } },
  access: 'none',
  timeoutSeconds: 30,
  retries: 3,
  deadLetters: { keptDays: 14 },
});
type Handler = Parameters<typeof workInOrder>[1];

const message: SQSRecord = {
  messageId: 'm1',
  receiptHandle: 'r1',
  body: '{}',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: '0',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
};

/** Calls a worker as Lambda would. Returns its outcome, what was hidden, and the line of log. */
async function call(handler: Handler, { isHidden = true } = {}) {
  const hidden: [string, number][] = [];
  const run = workInOrder(send, handler, ({ receiptHandle }, seconds) => {
    hidden.push([receiptHandle, seconds]);
    return isHidden ? Promise.resolve() : Promise.reject(new Error('SQS is down'));
  });
  const { result, lines } = await linesOf(() =>
    Promise.allSettled([run({ Records: [message] }, contextWith(30_000))]),
  );
  return { outcome: result[0], hidden, line: JSON.parse(lines[0]!) as Record<string, unknown> };
}

test('a message that its worker is done with is left out of the answer', async () => {
  const { outcome, hidden } = await call(() => Promise.resolve(1));
  expect(outcome).toEqual({ status: 'fulfilled', value: { batchItemFailures: [] } });
  expect(hidden).toEqual([]);
});

test('a message that its worker wants again in 5 seconds is hidden so long, and its run succeeded', async () => {
  const { outcome, hidden, line } = await call(({ retryIn, count }) => {
    count('failedAttempts');
    count('failedAttempts');
    retryIn(5);
    return Promise.resolve(0);
  });
  expect(outcome).toEqual({
    status: 'fulfilled',
    value: { batchItemFailures: [{ itemIdentifier: 'm1' }] },
  });
  expect(hidden).toEqual([['r1', 5]]);
  expect(line).toMatchObject({ level: 'info', status: 200, done: 0, failedAttempts: 2 });
  expect(line).not.toHaveProperty('deliveries');
});

test.each([
  [
    'a message that cannot be hidden',
    ({ retryIn }: Parameters<Handler>[0]) => {
      retryIn(5);
    },
    false,
  ],
  [
    'an error',
    () => {
      throw new Error('broken');
    },
    true,
  ],
] as const)('%s fails the run, so that the message comes back in its own time', async (_, act, isHidden) => {
  const { outcome, line } = await call(
    (run) => {
      act(run);
      return Promise.resolve(0);
    },
    { isHidden },
  );
  expect(outcome).toMatchObject({ status: 'rejected' });
  expect(line).toMatchObject({ level: 'error', status: 500 });
});
