import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../infra/local/functions/function-messages.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import type { Schedule } from '../../../infra/local/template/template.ts';
import { runLine } from '../../../infra/local/terminal.ts';
import { Schedules } from '../../../infra/local/workers/schedules.ts';
import type { WorkerRun } from '../../../infra/local/workers/worker-run.ts';
import { done, failed, workerCalls } from './worker-calls.ts';

const minute = 60_000;

let calls: ReturnType<typeof workerCalls>;
let events: { functionName: string; event: { time: string } & Record<string, unknown> }[];
let answers: Promise<Outcome | undefined>[];
let schedules: Schedules;
let maySend: boolean;
beforeEach(() => {
  calls = workerCalls();
  [events, answers, maySend] = [[], [], true];
  schedules = new Schedules({
    ...calls,
    invoke: (functionName, event) => {
      events.push({ functionName, event: event as (typeof events)[number]['event'] });
      return answers.shift() ?? Promise.resolve(done);
    },
    maySend: (functionName, queue) => maySend && functionName === 'Tick' && queue === 'DeadLetters',
  });
});
afterEach(() => {
  schedules.stop();
  vi.useRealTimers();
});

const every = (minutes: number, changes: Partial<Schedule> = {}): Schedule => ({
  rule: 'Rule',
  functionName: 'Tick',
  every: { text: `${minutes} minutes`, milliseconds: minutes * minute },
  retries: 2,
  deadLetters: 'DeadLetters',
  ...changes,
});

const pass = (milliseconds: number) => calls.pass(milliseconds);
const ends = () => calls.ends();

test("a schedule calls its function after each interval, with EventBridge's event", async () => {
  const begun = calls.clock.now();
  schedules.keep([every(5)]);
  await pass(5 * minute - 1000);
  expect(events).toEqual([]);
  await pass(1000);
  await pass(5 * minute - 1000);
  expect(events).toHaveLength(1);
  await pass(1000);
  expect(events.map(({ functionName }) => functionName)).toEqual(['Tick', 'Tick']);
  expect(ends()).toEqual([undefined, undefined]);
  expect(events[0]!.event).toEqual({
    version: '0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: new Date(begun + 5 * minute).toISOString().replace(/\.\d+Z$/, 'Z'),
    region: 'us-east-1',
    resources: ['arn:aws:events:us-east-1:000000000000:rule/Rule'],
    detail: {},
  });
});

test('a schedule skips missed runs, and keeps its times', async () => {
  schedules.keep([every(5)]);
  // The clock jumps like this after a computer slept.
  await pass(27 * minute);
  await pass(3 * minute - 1000);
  expect(events).toHaveLength(1);
  await pass(1000);
  const [first, second] = events.map(({ event }) => Date.parse(event.time));
  expect(second! - first!).toBe(5 * minute);
});

test('a schedule does not wait for a run that takes longer', async () => {
  answers = [new Promise(() => undefined)];
  schedules.keep([every(5)]);
  await pass(5 * minute);
  await pass(5 * minute);
  expect(events).toHaveLength(2);
  expect(ends()).toHaveLength(1);
});

test('an event that failed at every try is lost if the role may not send it to its queue, there is none, or the disk is full', async () => {
  answers = [failed, failed, failed].map((outcome) => Promise.resolve(outcome));
  maySend = false;
  schedules.keep([every(5, { retries: 0 })]);
  await pass(5 * minute);
  maySend = true;
  schedules.keep([every(5, { retries: 0, deadLetters: undefined })]);
  await pass(5 * minute);
  calls.isDiskFull = true;
  schedules.keep([every(5, { retries: 0 })]);
  await pass(5 * minute);
  expect(ends()).toEqual(['is lost', 'is lost', 'is lost']);
});

test('a schedule continues if it is unchanged, restarts if it is changed, and ends if it is removed', async () => {
  const other = (minutes: number) => every(minutes, { rule: 'Other', functionName: 'Other' });
  schedules.keep([every(5), other(7)]);
  await pass(4 * minute);
  schedules.keep([every(5), other(6)]);
  await pass(minute);
  // The old interval would be over by then.
  await pass(4 * minute);
  expect(events.map(({ functionName }) => functionName)).toEqual(['Tick']);
  await pass(minute);
  expect(events.map(({ functionName }) => functionName).sort()).toEqual(['Other', 'Tick', 'Tick']);
  schedules.keep([]);
  await pass(60 * minute);
  expect(events).toHaveLength(3);
});

test('the error of sources that do not run is reported, and the schedule continues', async () => {
  answers = [Promise.reject(new LocalError('a.ts:1 does not build'))];
  schedules.keep([every(5, { retries: 0 })]);
  await pass(5 * minute);
  await pass(5 * minute);
  expect(calls.runs).toMatchObject([
    { name: 'Tick', failed: 'is a dead letter', troubles: ['a.ts:1 does not build'] },
    { failed: undefined, troubles: [] },
  ]);
});

test('nothing begins after the end, not even a retry', async () => {
  answers = [Promise.resolve(failed)];
  schedules.keep([every(5)]);
  await pass(5 * minute);
  schedules.stop();
  await pass(60 * minute);
  expect(events).toHaveLength(1);
  expect(ends()).toEqual(['is tried again']);
});

test('a run is printed with its attempts, its cost, and why it failed', () => {
  const run: WorkerRun = {
    name: 'tick',
    done: 2,
    attempts: [
      { webhook: 1, event: 87, type: 'lead.created', status: 204, milliseconds: 12 },
      { webhook: 1, event: 88, type: 'other', failure: 'TIMEOUT', milliseconds: 15_003 },
    ],
    failed: 'is tried again',
    milliseconds: 12.3,
    consumed: { calls: 3, readUnits: 1.5, writeUnits: 0, transactions: 1, writes: 1 },
    troubles: ['Error: No\n at tick'],
  };
  expect(runLine(run)).toBe(
    'HOOK   1: 87 lead.created                       204    12 ms\n' +
      'HOOK   1: 88 other                              err 15003 ms  TIMEOUT\n' +
      'WORKER tick                                     err    12 ms   3 calls  1.5 read   0 write   2 done\n' +
      '       Error: No\n        at tick\n       The event is tried again.\n',
  );
});
