import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alarmLine } from '../../../../infra/local/terminal.ts';
import type { Access } from '../../../../infra/local/watch/access-log.ts';
import type { Alarm } from '../../../../infra/local/watch/alarm.ts';
import { parseExpression } from '../../../../infra/local/watch/metric-math.ts';
import { statisticOf } from '../../../../infra/local/watch/metric-store.ts';
import { keyOf, type Datum } from '../../../../infra/local/watch/metric.ts';
import { Watch } from '../../../../infra/local/watch/watch.ts';
import type { Watched } from '../../../../infra/local/watch/watched.ts';

const minute = 60_000;
/** A full minute. */
const start = 1_800_000_000_000;

const alarm = (metric: Alarm['metrics'][number]['metric'], changes: Partial<Alarm>): Alarm => ({
  name: 'Wrong',
  sentence: 'Something\nis wrong.',
  period: minute,
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  isMissingBreaching: false,
  firesOnTooLittle: false,
  breaches: (value) => value >= 1,
  metrics: [{ id: 'm', metric, statistic: statisticOf('Maximum') }],
  expression: parseExpression('m'),
  ...changes,
});
const watched: Watched = {
  groups: new Map([['Lists', 'api']]),
  functionNames: new Map([['Lists', 'Sales-Lists']]),
  accessLog: { group: 'access', lineOf: ({ status }) => `{"status":"${status}"}` },
  filters: [
    {
      group: 'access',
      metric: { namespace: 'N', name: 'errors', dimensions: {} },
      valueOf: (line) => (line.includes('500') ? 1 : 0),
    },
  ],
  table: 'Table',
  api: { ApiName: 'Sales', Stage: 'dev' },
  deadLetters: [{ id: 'Letters', name: 'Letters.QueueName' }],
  queues: [{ id: 'Queue', name: 'Queue.QueueName' }],
  alarms: [],
};
const access: Access = { requestId: 'r', at: start, method: 'GET', status: 500, length: 1, milliseconds: 7 };

let folder: string;
let data: Datum[];
let lines: string[];
let told: string[];
let now: number;
let wake: () => void;
/** Age in seconds of the oldest message in each queue. */
let ages: Record<string, number>;
let watch: Watch;
const clock = {
  now: () => now,
  ahead: 0,
  sleep: () => new Promise<void>((resolve) => (wake = resolve)),
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  [data, lines, told, now, ages] = [[], [], [], start, {}];
});
afterEach(() => {
  watch.stop();
  rmSync(folder, { recursive: true });
});

function begin(alarms: Alarm[] = []): void {
  watch = new Watch(
    { ...watched, alarms },
    { clock, ageIn: (queue) => ages[queue] ?? 0 },
    {
      logs: join(folder, 'logs'),
      onLogLine: (group, line) => lines.push(`${group}: ${line}`),
      onMetric: (datum) => data.push(datum),
      onAlarm: (state) => told.push(alarmLine(state)),
    },
  );
}
/** Lets minutes pass at once. */
async function pass(minutes: number): Promise<void> {
  now += minutes * minute;
  wake();
  await new Promise((resolve) => setImmediate(resolve));
}
const valuesOf = (namespace: string) =>
  Object.fromEntries(data.filter((one) => one.namespace === namespace).map((one) => [keyOf(one), one.value]));
const key = (namespace: string, name: string, dimensions: Record<string, string>) =>
  keyOf({ namespace, name, dimensions });

test("an access gives a log line, the filters' metrics, and metrics of API Gateway", () => {
  begin();
  watch.recordAccess(access);
  expect(lines).toEqual(['access: {"status":"500"}']);
  expect(readFileSync(join(folder, 'logs/access.log'), 'utf8')).toBe('{"status":"500"}\n');
  expect(valuesOf('N')).toEqual({ [key('N', 'errors', {})]: 1 });
  expect(valuesOf('AWS/ApiGateway')).toEqual({
    [key('AWS/ApiGateway', 'Count', watched.api)]: 1,
    [key('AWS/ApiGateway', '4XXError', watched.api)]: 0,
    [key('AWS/ApiGateway', '5XXError', watched.api)]: 1,
    [key('AWS/ApiGateway', 'Latency', watched.api)]: 7,
  });
});

test("a function call gives its log lines, their metrics, and Lambda's metrics at the time when it began", () => {
  begin();
  const _aws = {
    Timestamp: 5,
    CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [[]], Metrics: [{ Name: 'units' }] }],
  };
  const line = JSON.stringify({ units: 3, _aws });
  const error = { type: 'Error', message: 'No', stack: 'Error: No' };
  watch.recordInvocation(
    'Lists',
    { id: 'f', output: `${line}\n`, error },
    { at: start - 9, milliseconds: 9 },
  );
  expect(lines).toEqual([`api: ${line}`, expect.stringContaining('Invoke Error') as string]);
  expect(data).toContainEqual({ namespace: 'N', name: 'units', dimensions: {}, value: 3, at: 5 });
  const FunctionName = 'Sales-Lists';
  expect(valuesOf('AWS/Lambda')).toEqual({
    [key('AWS/Lambda', 'Invocations', { FunctionName })]: 1,
    [key('AWS/Lambda', 'Errors', { FunctionName })]: 1,
    [key('AWS/Lambda', 'Duration', { FunctionName })]: 9,
  });
  expect(data.find(({ namespace }) => namespace === 'AWS/Lambda')?.at).toBe(start - 9);
});

test('dead letters are counted at every full minute, and raise one alarm until they are gone', async () => {
  const metric = {
    namespace: 'AWS/SQS',
    name: 'ApproximateNumberOfMessagesVisible',
    dimensions: { QueueName: 'Letters.QueueName' },
  };
  begin([alarm(metric, {})]);
  expect(data).toContainEqual({ ...metric, value: 0, at: start });
  const outcome = { id: 'f', output: '', error: { type: 'Error', message: 'No', stack: '' } };
  watch.keepDeadLetter({ queue: 'Letters', functionName: 'F', event: {}, tries: 3, outcome });
  await pass(1);
  await pass(1);
  await pass(1);
  expect(told).toEqual(['ALARM  Wrong: Something\\u000ais wrong.\n']);
  rmSync(join(folder, 'logs/dead-letters'), { recursive: true });
  await pass(1);
  await pass(1);
  expect(told.slice(1)).toEqual(['OK     Wrong: the alarm is over\n']);
});

test("the age of a queue's oldest message is measured at every full minute", async () => {
  const name = 'ApproximateAgeOfOldestMessage';
  const metric = { namespace: 'AWS/SQS', name, dimensions: { QueueName: 'Queue.QueueName' } };
  begin([alarm(metric, { breaches: (value) => value > 900 })]);
  ages = { Queue: 900 };
  await pass(1);
  await pass(1);
  expect(told).toEqual([]);
  ages = { Queue: 901 };
  await pass(1);
  await pass(1);
  expect(told).toEqual(['ALARM  Wrong: Something\\u000ais wrong.\n']);
});

test('dead letters outlive a restart; messages can be put back into their queues, and events stay', () => {
  begin();
  const outcome = { id: 'f', output: '', error: { type: 'Error', message: 'No', stack: '' } };
  watch.keepDeadLetter({ queue: 'Letters', functionName: 'F', event: {}, tries: 3, outcome });
  for (const body of ['a', 'b']) {
    const message = { id: body, body, sentAt: start, receives: 6 };
    watch.keepDeadLetter({ queue: 'Letters', source: 'Queue', message });
  }
  watch.recordAccess(access);
  watch.stop();
  begin();
  const logs = join(folder, 'logs');
  expect(existsSync(join(logs, 'access.log'))).toBe(false);
  const sent: string[][] = [];
  const queues = { send: (...message: string[]) => sent.push(message) };
  const file = join(logs, 'dead-letters/Letters.jsonl');
  const letters = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  expect(letters()[1]).toEqual({
    messageId: 'a',
    body: 'a',
    attributes: {
      SentTimestamp: String(start),
      ApproximateReceiveCount: '6',
      DeadLetterQueueSourceArn: expect.stringMatching(/:Queue$/) as string,
    },
  });
  expect(watch.deadLetters.redrive(queues)).toBe(2);
  expect(watch.deadLetters.redrive(queues)).toBe(0);
  expect(sent).toEqual([
    ['Queue', 'a'],
    ['Queue', 'b'],
  ]);
  expect(letters()).toMatchObject([{ requestContext: { functionArn: 'F' } }]);
});

test('time that the computer slept raises no alarm', async () => {
  const metric = { namespace: 'AWS/Lambda', name: 'Invocations', dimensions: {} };
  begin([alarm(metric, { evaluationPeriods: 2, isMissingBreaching: true, firesOnTooLittle: true })]);
  await pass(1);
  await pass(600);
  await pass(1);
  expect(told).toEqual([]);
  await pass(1);
  expect(told).toHaveLength(1);
});
