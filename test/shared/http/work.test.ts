import type { SQSEvent } from 'aws-lambda';
import { inspect } from 'node:util';
import * as v from 'valibot';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { worker } from '../../../shared/contract/worker.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { work, workInOrder } from '../../../shared/http/work.ts';
import { contextWith, linesOf } from './invocation.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const common = {
  name: 'tick',
  summary: 'Ticks',
  breaks: 'Nothing.',
  access: 'none',
  timeoutSeconds: 30,
  deadLetters: { keptDays: 14 },
} as const;
const tick = worker({ ...common, on: { schedule: { everyMinutes: 5 } }, retries: 2 });
type Handler = Parameters<typeof work<typeof tick>>[1];

/** The outcome of a run, and its one line of log. */
async function lineOf<T>(run: () => Promise<T>) {
  const { result, lines } = await linesOf(() => Promise.allSettled([run()]));
  expect(lines).toHaveLength(1);
  return { outcome: result[0], line: JSON.parse(lines[0]!) as Record<string, unknown> };
}

/** Calls a worker as Lambda would. */
const call = (handler: Handler) =>
  lineOf(() =>
    work(tick, handler)({} as Parameters<ReturnType<typeof work<typeof tick>>>[0], contextWith(30_000)),
  );

test('a run is logged with its worker, its number of items, its cost and its metrics', async () => {
  vi.stubEnv('METRICS_NAMESPACE', 'SalesPipeline-test');
  const { outcome, line } = await call(({ capacity, reach }) => {
    expect(reach).toEqual({ access: 'none', worker: 'tick' });
    capacity.calls += 3;
    capacity.readUnits += 0.5;
    capacity.writeUnits += 2;
    capacity.transactions += 2;
    capacity.writes += 1;
    return Promise.resolve(7);
  });
  // A result must not look like the response of a batch.
  expect(outcome).toEqual({ status: 'fulfilled', value: undefined });
  expect(line).toEqual({
    level: 'info',
    requestId: 'lambda-1',
    operation: 'tick',
    status: 200,
    milliseconds: expect.any(Number) as number,
    calls: 3,
    readUnits: 0.5,
    writeUnits: 2,
    transactions: 2,
    writes: 1,
    done: 7,
    _aws: {
      Timestamp: expect.any(Number) as number,
      CloudWatchMetrics: [
        {
          Namespace: 'SalesPipeline-test',
          Dimensions: [[]],
          Metrics: ['readUnits', 'writeUnits', 'transactions', 'writes'].map((Name) => ({
            Name,
            Unit: 'Count',
          })),
        },
      ],
    },
  });
});

test('an error fails the run without its data, and is logged with the cost until then', async () => {
  const cause = Object.assign(new Error('deeper'), {
    CancellationReasons: [{ Item: { phone: '+61491570156' } }],
  });
  const { outcome, line } = await call(({ capacity }) => {
    capacity.calls++;
    throw new Error('broken', { cause });
  });
  expect(outcome).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('line') as string },
  });
  // Lambda logs every field of what is thrown.
  expect(inspect(outcome, { depth: null })).not.toContain('491570156');
  expect(line).toMatchObject({
    level: 'error',
    operation: 'tick',
    status: 500,
    calls: 1,
    error: { name: 'Error', message: 'broken', cause: { message: 'deeper' } },
  });
  expect(line).not.toHaveProperty('done');
});

test('a reported error lets the worker go on, and fails the run in the end', async () => {
  const { outcome, line } = await call(({ report }) => {
    report(new Error('first'));
    report(new Error('second'));
    return Promise.resolve(5);
  });
  expect(outcome).toMatchObject({ status: 'rejected' });
  expect(line).toMatchObject({
    level: 'error',
    status: 500,
    done: 5,
    error: { errors: [{ message: 'first' }, { message: 'second' }] },
  });
});

test('each attempt to send an event is logged', async () => {
  const organization = v.parse(OrganizationCode, '6H8EV880');
  const sent = { organization, webhook: 1, type: 'lead.created' };
  const attempts = [
    { ...sent, event: 87, status: 204, milliseconds: 12 },
    { ...sent, event: 88, status: undefined, failure: 'TIMEOUT' as const, milliseconds: 15_003 },
  ];
  const { line } = await call(({ attempted }) => {
    attempts.forEach(attempted);
    return Promise.resolve(1);
  });
  expect(line).toMatchObject({
    attempts: attempts.map(({ status, ...one }) => ({ ...one, ...(status && { status }) })),
  });
  expect((await call(() => Promise.resolve(1))).line).not.toHaveProperty('attempts');
});

test('the outcome of an SMS is logged and counted, and does not fail the run', async () => {
  vi.stubEnv('METRICS_NAMESPACE', 'SalesPipeline-test');
  const refused = await call(({ reportSms }) => {
    reportSms('REFUSED', new Error('AccessDenied'));
    return Promise.resolve(1);
  });
  expect(refused.outcome).toMatchObject({ status: 'fulfilled' });
  expect(refused.line).toMatchObject({
    level: 'error',
    status: 200,
    done: 1,
    texts: 1,
    text: 'REFUSED',
    error: { message: 'A text was not sent', errors: [{ message: 'AccessDenied' }] },
    _aws: { CloudWatchMetrics: [{ Dimensions: [['text']], Metrics: [{ Name: 'texts' }] }] },
  });
  const { line } = await call(({ reportSms }) => {
    reportSms('SENT');
    return Promise.resolve(1);
  });
  expect(line).toMatchObject({ level: 'info', texts: 1, text: 'SENT' });
  expect(line).not.toHaveProperty('error');
});

test('the deadline leaves time to end the last call', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const left: number[] = [];
  await call(({ deadline }) => {
    left.push(deadline - Date.now());
    return Promise.resolve(0);
  });
  vi.useRealTimers();
  expect(left).toEqual([28_500]);
});

describe('a message of a FIFO queue', () => {
  const send = worker({
    ...common,
    on: { fifoQueue: { visibilitySeconds: 60 } },
    retries: 3,
  });
  type Act = Parameters<typeof workInOrder>[1];
  const event = { Records: [{ messageId: 'm1', receiptHandle: 'r1' }] } as SQSEvent;

  /** Calls a worker as Lambda would, on a queue that hides messages or not. */
  async function callInOrder(handler: Act, isUp = true) {
    const hidden: [string, number][] = [];
    const run = workInOrder(send, handler, ({ receiptHandle }, seconds) => {
      hidden.push([receiptHandle, seconds]);
      return isUp ? Promise.resolve() : Promise.reject(new Error('SQS is down'));
    });
    return { ...(await lineOf(() => run(event, contextWith(30_000)))), hidden };
  }
  const inFive: Act = ({ retryIn }) => {
    retryIn(5);
    return Promise.resolve(0);
  };

  test('is left out of the answer if its worker is done with it, and hidden if it is wanted again', async () => {
    const done = await callInOrder(() => Promise.resolve(1));
    expect(done).toMatchObject({ outcome: { value: { batchItemFailures: [] } }, hidden: [] });
    const again = await callInOrder(inFive);
    expect(again).toMatchObject({
      outcome: { value: { batchItemFailures: [{ itemIdentifier: 'm1' }] } },
      hidden: [['r1', 5]],
      line: { level: 'info', status: 200, done: 0 },
    });
  });

  test.each<[string, Act, boolean]>([
    ['that cannot be hidden', inFive, false],
    ['whose worker fails', () => Promise.reject(new Error('broken')), true],
  ])('%s fails the run, so that it comes back in its own time', async (_, act, isUp) => {
    expect(await callInOrder(act, isUp)).toMatchObject({
      outcome: { status: 'rejected' },
      line: { level: 'error', status: 500 },
    });
  });
});
