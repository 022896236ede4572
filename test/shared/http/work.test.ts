import type { SQSEvent } from 'aws-lambda';
import { inspect } from 'node:util';
import * as v from 'valibot';
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest';
import { worker } from '../../../shared/contract/worker.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { work } from '../../../shared/http/work.ts';
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

const event = {
  version: '0',
  id: '1',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: '2026-11-02T13:00:00Z',
  region: 'us-east-1',
  resources: [],
  detail: {},
} as const;

/** Calls a worker as Lambda would. Returns its outcome and the one line of log. */
async function call(handler: Handler) {
  const { result, lines } = await linesOf(() =>
    Promise.allSettled([
      work(tick, handler)({ ...event, resources: [...event.resources] }, contextWith(30_000)),
    ]),
  );
  const [outcome] = result;
  expect(lines).toHaveLength(1);
  return { outcome, line: JSON.parse(lines[0]!) as Record<string, unknown> };
}

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

test('the event has the type of the trigger', async () => {
  const times: string[] = [];
  await call(({ event }) => {
    times.push(event.time);
    return Promise.resolve(0);
  });
  expect(times).toEqual(['2026-11-02T13:00:00Z']);
  work(worker({ ...common, on: { queue: { maxConcurrency: 2 } }, retries: 1 }), ({ event }) => {
    expectTypeOf(event).toEqualTypeOf<SQSEvent>();
    return Promise.resolve(0);
  });
});
