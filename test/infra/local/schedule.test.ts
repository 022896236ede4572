import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MachineClock } from '../../../infra/local/clock.ts';
import { Environments } from '../../../infra/local/functions/environments.ts';
import { FunctionHost } from '../../../infra/local/functions/function-host.ts';
import type { Outcome } from '../../../infra/local/functions/function-messages.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { allows } from '../../../infra/local/role.ts';
import { Schedules } from '../../../infra/local/workers/schedules.ts';
import type { WorkerRun } from '../../../infra/local/workers/worker-run.ts';
import { readTemplate, type Schedule } from '../../../infra/local/template/template.ts';
import { runLine, welcome } from '../../../infra/local/terminal.ts';
import { worker, type Worker } from '../../../shared/contract/worker.ts';
import { synthesizeWorkers } from '../../support/made-up-workers.ts';

const minute = 60_000;
const common = {
  name: 'tick',
  summary: 'Ticks',
  breaks: 'Nothing.',
  access: 'none',
  timeoutSeconds: 10,
  deadLetters: { keptDays: 14 },
} as const;
const tick = worker({ ...common, on: { schedule: { everyMinutes: 5 } }, retries: 2 });

let folder: string;
let clock: MachineClock;
let runs: WorkerRun[];
let stops: (() => unknown)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schedule-'));
  clock = new MachineClock();
  runs = [];
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true });
});

/** Lets everything run that is due now. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Moves the clock, and lets everything run that is due by then. */
async function pass(milliseconds: number): Promise<void> {
  clock.moveBy(milliseconds);
  await settle();
}

describe('a schedule', () => {
  // The clock stands still but for what a test moves it by.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  let events: { functionName: string; event: { time: string } & Record<string, unknown> }[];
  let answers: Promise<Outcome | undefined>[];
  let schedules: Schedules;
  let maySend: boolean;
  let isDiskFull: boolean;
  const done: Outcome = { id: '1', result: 'null', output: '' };
  const failed: Outcome = {
    id: '1',
    error: { type: 'Error', message: 'No', stack: 'Error: No' },
    output: '',
  };
  const every = (minutes: number, changes: Partial<Schedule> = {}): Schedule => ({
    rule: 'Rule',
    functionName: 'Tick',
    every: { text: `${minutes} minutes`, milliseconds: minutes * minute },
    retries: 2,
    deadLetters: 'DeadLetters',
    ...changes,
  });
  beforeEach(() => {
    events = [];
    answers = [];
    maySend = true;
    isDiskFull = false;
    schedules = new Schedules({
      clock,
      invoke: (functionName, event) => {
        events.push({ functionName, event: event as (typeof events)[number]['event'] });
        return answers.shift() ?? Promise.resolve(done);
      },
      onRun: (run) => runs.push(run),
      maySend: (functionName, queue) => maySend && functionName === 'Tick' && queue === 'DeadLetters',
      keepDeadLetter: () => {
        if (isDiskFull) throw new LocalError('No space left');
      },
    });
    stops.push(() => {
      schedules.stop();
    });
  });

  test('first calls its function after its interval, then at each', async () => {
    schedules.keep([every(5)]);
    await pass(5 * minute - 1000);
    expect(events).toEqual([]);
    await pass(1000);
    expect(events).toHaveLength(1);
    await pass(5 * minute - 1000);
    expect(events).toHaveLength(1);
    await pass(1000);
    expect(events.map(({ functionName }) => functionName)).toEqual(['Tick', 'Tick']);
    expect(runs.map(({ failed }) => failed)).toEqual([undefined, undefined]);
  });

  test("gives it EventBridge's event", async () => {
    const begun = clock.now();
    schedules.keep([every(5)]);
    await pass(5 * minute);
    const [{ event }] = events as [(typeof events)[number]];
    expect(event).toEqual({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: '000000000000',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      region: 'us-east-1',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/Rule'],
      detail: {},
    });
    const second = 1000;
    expect(Date.parse(event.time)).toBe(Math.floor((begun + 5 * minute) / second) * second);
  });

  test('skips missed runs, and keeps its times', async () => {
    schedules.keep([every(5)]);
    // The clock jumps like this after a computer slept.
    await pass(27 * minute);
    expect(events).toHaveLength(1);
    await pass(3 * minute - 1000);
    expect(events).toHaveLength(1);
    await pass(1000);
    expect(events).toHaveLength(2);
    const [first, second] = events.map(({ event }) => Date.parse(event.time));
    expect(second! - first!).toBe(5 * minute);
  });

  test('does not wait for a run that takes longer', async () => {
    answers = [new Promise(() => undefined)];
    schedules.keep([every(5)]);
    await pass(5 * minute);
    await pass(5 * minute);
    expect(events).toHaveLength(2);
    expect(runs).toHaveLength(1);
  });

  test('is tried again with the same event one minute and two minutes after it failed, then no more', async () => {
    answers = [failed, failed, failed].map((outcome) => Promise.resolve(outcome));
    schedules.keep([every(60)]);
    await pass(60 * minute);
    for (const [time, count] of [
      [minute - 1000, 1],
      [1000, 2],
      [2 * minute - 1000, 2],
      [1000, 3],
      [50 * minute, 3],
    ] as const) {
      await pass(time);
      expect(events).toHaveLength(count);
    }
    expect(new Set(events.map(({ event }) => event['id'])).size).toBe(1);
    expect(runs.map(({ failed }) => failed)).toEqual([
      'is tried again',
      'is tried again',
      'is a dead letter',
    ]);
    // The schedule continues.
    await pass(7 * minute);
    expect(events).toHaveLength(4);
    expect(runs.at(-1)?.failed).toBeUndefined();
  });

  test('is tried again as often as the template says, and not after a success', async () => {
    answers = [failed, failed].map((outcome) => Promise.resolve(outcome));
    schedules.keep([every(60, { retries: 0 })]);
    await pass(60 * minute);
    await pass(50 * minute);
    expect(events).toHaveLength(1);
    await pass(10 * minute);
    schedules.keep([every(30, { retries: 1 })]);
    answers = [Promise.resolve(failed)];
    await pass(30 * minute);
    await pass(minute);
    await pass(20 * minute);
    expect(events).toHaveLength(4);
    expect(runs.map(({ failed }) => failed)).toEqual([
      'is a dead letter',
      'is a dead letter',
      'is tried again',
      undefined,
    ]);
  });

  test('loses an event that failed at every try if its role may not send it to its queue, it has none, or the disk is full', async () => {
    answers = [failed, failed, failed].map((outcome) => Promise.resolve(outcome));
    maySend = false;
    schedules.keep([every(5, { retries: 0 })]);
    await pass(5 * minute);
    maySend = true;
    schedules.keep([every(5, { retries: 0, deadLetters: undefined })]);
    await pass(5 * minute);
    isDiskFull = true;
    schedules.keep([every(5, { retries: 0 })]);
    await pass(5 * minute);
    expect(runs.map(({ failed }) => failed)).toEqual(['is lost', 'is lost', 'is lost']);
  });

  test('continues if it is unchanged, restarts if it is changed, and ends if it is removed', async () => {
    schedules.keep([every(5), every(7, { rule: 'Other', functionName: 'Other' })]);
    await pass(4 * minute);
    schedules.keep([every(5), every(6, { rule: 'Other', functionName: 'Other' })]);
    await pass(minute);
    expect(events.map(({ functionName }) => functionName)).toEqual(['Tick']);
    await pass(4 * minute);
    // The old interval would be over now.
    expect(events.map(({ functionName }) => functionName)).toEqual(['Tick']);
    await pass(minute);
    expect(events.map(({ functionName }) => functionName).sort()).toEqual(['Other', 'Tick', 'Tick']);
    schedules.keep([]);
    await pass(60 * minute);
    expect(events).toHaveLength(3);
  });

  test('reports the error of sources that do not run, and continues', async () => {
    answers = [Promise.reject(new LocalError('a.ts:1 does not build'))];
    schedules.keep([every(5, { retries: 0 })]);
    await pass(5 * minute);
    await pass(5 * minute);
    expect(runs).toMatchObject([
      { name: 'Tick', failed: 'is a dead letter', troubles: ['a.ts:1 does not build'] },
      { failed: undefined, troubles: [] },
    ]);
  });

  test('begins nothing after the end, not even a retry', async () => {
    answers = [Promise.resolve(failed)];
    schedules.keep([every(5)]);
    await pass(5 * minute);
    schedules.stop();
    await pass(60 * minute);
    expect(events).toHaveLength(1);
    expect(runs).toHaveLength(1);
  });
});

describe('a worker in the synthesized template', () => {
  /** Runs a worker with this code, as the machine does. */
  function start(code: string, definition: Worker = tick): void {
    synthesizeWorkers(folder, [{ worker: definition, code }]);
    const { functions, schedules } = readTemplate(folder);
    const environments = new Environments();
    const hosts = new Map(
      functions.map((found) => [found.name, new FunctionHost(found, environments, {}, clock)]),
    );
    const running = new Schedules({
      clock,
      invoke: (name, event) => hosts.get(name)!.invoke(event),
      onRun: (run) => {
        runs.push(run);
        onRun.resolve(undefined);
      },
      maySend: (name, resource) =>
        allows(functions.find((found) => found.name === name)!.role, { action: 'sqs:SendMessage', resource }),
      keepDeadLetter: () => undefined,
    });
    running.keep(schedules);
    stops.push(
      () => {
        running.stop();
      },
      ...[...hosts.values()].map((host) => () => host.close()),
    );
  }

  let onRun = Promise.withResolvers<undefined>();
  /** Next run after the clock has moved by this much. */
  async function runAfter(milliseconds: number): Promise<WorkerRun> {
    onRun = Promise.withResolvers();
    const count = runs.length;
    clock.moveBy(milliseconds);
    await onRun.promise;
    expect(runs).toHaveLength(count + 1);
    return runs.at(-1)!;
  }

  const logging = (line: string) => `process.stdout.write(JSON.stringify(${line}) + '\\n');`;
  const cost = 'calls: 3, readUnits: 1.5, writeUnits: 0, transactions: 1, writes: 1';

  test('is read with its rate and its retries', () => {
    synthesizeWorkers(folder, [
      { worker: tick },
      {
        worker: worker({ ...common, name: 'tock', on: { schedule: { everyMinutes: 60 } }, retries: 0 }),
      },
      {
        worker: worker({ ...common, name: 'tack', on: { schedule: { everyMinutes: 1 } }, retries: 1 }),
      },
    ]);
    const { schedules, functions } = readTemplate(folder);
    expect(schedules.map(({ every, retries }) => [every, retries])).toEqual([
      [{ text: '5 minutes', milliseconds: 5 * minute }, 2],
      [{ text: '1 hour', milliseconds: 60 * minute }, 0],
      [{ text: '1 minute', milliseconds: minute }, 1],
    ]);
    expect(schedules.map(({ functionName }) => functionName)).toEqual(
      functions.flatMap(({ name }) => (/^T[aio]ckFunction/.test(name) ? [name] : [])),
    );
  });

  test("runs on time by the machine's clock, and reports its run", async () => {
    start(
      `export const handler = async () => {
        const attempts = [
          { webhook: 1, event: 87, type: 'lead.created', status: 204, milliseconds: 12 },
          { webhook: 1, event: 88, type: 'other', failure: 'TIMEOUT', milliseconds: 15003 },
        ];
        ${logging(`{ operation: 'tick', status: 200, done: 2, attempts, ${cost} }`)}
        process.stdout.write(Date.now() + '\\n');
      };`,
    );
    const begun = clock.now();
    const run = await runAfter(5 * minute);
    expect(run).toMatchObject({
      name: 'tick',
      done: 2,
      failed: undefined,
      consumed: { calls: 3, readUnits: 1.5, writeUnits: 0, transactions: 1, writes: 1 },
    });
    const [time] = run.troubles.map(Number);
    expect(time).toBeGreaterThanOrEqual(begun + 5 * minute);
    expect(time).toBeLessThanOrEqual(clock.now());
    expect(Number((await runAfter(5 * minute)).troubles[0])).toBeGreaterThanOrEqual(begun + 10 * minute);
    expect(runLine({ ...run, milliseconds: 12.3, troubles: [] })).toBe(
      'HOOK   1: 87 lead.created                       204    12 ms\n' +
        'HOOK   1: 88 other                              err 15003 ms  TIMEOUT\n' +
        'WORKER tick                                     ok     12 ms   3 calls  1.5 read   0 write   2 done\n',
    );
  });

  test('that throws is tried again, and its error is printed once', async () => {
    const error = `{ name: 'Error', message: 'No', stack: 'Error: No\\n at tick' }`;
    start(
      `export const handler = async () => {
        ${logging(`{ level: 'error', operation: 'tick', status: 500, done: 1, error: ${error}, ${cost} }`)}
        throw new Error('No');
      };`,
    );
    const first = await runAfter(5 * minute);
    expect(first).toMatchObject({ name: 'tick', done: 1, failed: 'is tried again' });
    expect(first.troubles).toEqual(['Error: No\n at tick']);
    expect(runLine({ ...first, milliseconds: 1 })).toBe(
      'WORKER tick                                     err     1 ms   3 calls  1.5 read   0 write   1 done\n' +
        '       Error: No\n        at tick\n       The event is tried again.\n',
    );
    expect((await runAfter(minute)).failed).toBe('is tried again');
    expect((await runAfter(2 * minute)).failed).toBe('is a dead letter');
  });

  test('that is killed halfway is tried again in a new environment', async () => {
    const file = join(folder, 'begun');
    start(
      `import { appendFileSync, readFileSync } from 'node:fs';
      let isNew = true;
      export const handler = async () => {
        appendFileSync(${JSON.stringify(file)}, isNew ? 'new ' : 'old ');
        isNew = false;
        if (readFileSync(${JSON.stringify(file)}, 'utf8').trim().split(' ').length === 2) process.exit(1);
      };`,
    );
    expect((await runAfter(5 * minute)).failed).toBeUndefined();
    const killed = await runAfter(5 * minute);
    expect(killed).toMatchObject({ name: expect.stringMatching(/^TickFunction/) as string, done: undefined });
    expect(killed.failed).toBe('is tried again');
    expect(killed.troubles.join()).toContain('The function ended its process');
    expect((await runAfter(minute)).failed).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('new old new ');
  });

  test('that exceeds its timeout is ended, and tried again', async () => {
    const slow = worker({ ...tick, timeoutSeconds: 1 });
    start('export const handler = () => new Promise(() => undefined);', slow);
    const { failed, troubles } = await runAfter(5 * minute);
    expect(failed).toBe('is tried again');
    expect(troubles.join()).toContain('The function ran longer than 1 seconds');
  });

  test('is printed at the start, with its interval', () => {
    const shown = {
      baseUrl: 'http://localhost:3000',
      demo: [],
      workers: [{ description: 'tick: Ticks', every: '5 minutes' }],
      location: 'in .data',
      watch: true,
      containers: 'The database is open.',
    };
    expect(welcome(shown)).toContain(
      '\nEvery 5 minutes, tick: Ticks\n\nThe database is open.\nData in .data',
    );
  });
});

describe('an unsupported resource is refused in one sentence:', () => {
  const queued = worker({ ...common, on: { queue: { maxConcurrency: 2, isBehindTopic: true } }, retries: 3 });
  const [rule, mapping] = ['AWS::Events::Rule', 'AWS::Lambda::EventSourceMapping'];
  test.each<[string, Worker, string, object, string]>([
    [
      'a time of the day',
      tick,
      rule,
      { ScheduleExpression: 'cron(0 8 * * ? *)' },
      'ScheduleExpression is no rate',
    ],
    [
      'a rule that is not enabled',
      tick,
      rule,
      { State: 'DISABLED' },
      'State Invalid type: Expected "ENABLED"',
    ],
    [
      'a rule of events',
      tick,
      rule,
      { ScheduleExpression: undefined, EventPattern: {} },
      'ScheduleExpression Invalid key',
    ],
    [
      'an input of its own',
      tick,
      rule,
      { Targets: [{ Arn: 'a', Id: 'b', Input: '{}' }] },
      'Targets.0.Input Invalid key',
    ],
    ['several messages at once', queued, mapping, { BatchSize: 10 }, 'BatchSize Invalid type: Expected 1'],
    [
      'a topic that calls a function',
      queued,
      'AWS::SNS::Subscription',
      { Protocol: 'lambda' },
      'Protocol Invalid type: Expected',
    ],
  ])('%s', (_, definition, type, changes, reason) => {
    synthesizeWorkers(folder, [{ worker: definition }]);
    const file = join(folder, 'MadeUp.template.json');
    const template = JSON.parse(readFileSync(file, 'utf8')) as {
      Resources: Record<string, { Type: string; Properties: object }>;
    };
    const [resource] = Object.values(template.Resources).filter(({ Type }) => Type === type);
    Object.assign(resource!.Properties, changes);
    writeFileSync(file, JSON.stringify(template));
    expect(() => readTemplate(folder)).toThrow(reason);
    expect(() => readTemplate(folder)).toThrow(
      new RegExp(`^The local machine cannot run Tick\\w+ \\(${type}\\): [^\\n]+$`),
    );
    expect(() => readTemplate(folder)).toThrow(LocalError);
  });
});
