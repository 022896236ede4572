import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, inject, test } from 'vitest';
import { MachineClock } from '../../infra/local/clock.ts';
import { closeAll, listenOnLoopback } from '../../infra/local/loopback.ts';
import type { WorkerRun } from '../../infra/local/workers/worker-run.ts';
import { sweepWebhooksWorker } from '../../shared/contract/webhook-workers.ts';
import { headKey } from '../../shared/ledger/internal/keys.ts';
import { foundOrganizationAt } from '../support/stored-organization.ts';
import { ownMachine } from '../support/own-machine.ts';
import { loggingInto, runLogIn } from '../support/machine/run-log.ts';
import { atFileEnd } from '../support/vitest/at-file-end.ts';

/* From a request to the receiver, by the stream, the queue and the schedule of a machine whose clock is moved. */

const second = 1000;
const minute = 60 * second;

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

/** Part of what is sent. */
interface Sent {
  data: { record: { firstName: string } };
}

const clock = new MachineClock();
const runs: WorkerRun[] = [];
let received: Received[];
/** Statuses of the receiver's next answers; then 200. */
let statuses: number[];
/** Called before the receiver answers. */
let onReceived: () => void;
/** Resolves what waits for something to happen. */
let happened: () => void = () => undefined;
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ headers: request.headers, body });
    onReceived();
    response.writeHead(statuses.shift() ?? 200).end('Thank you');
    happened();
  });
});
const url = `http://127.0.0.1:${await listenOnLoopback(receiver)}/hook`;
const startedAt = clock.now();
// The machine ends first.
atFileEnd(() => closeAll(receiver));
const { machine, table } = await ownMachine({
  clock,
  ...loggingInto(runLogIn(inject('runLog'))),
  onRun: (run) => {
    runs.push(run);
    happened();
  },
});
const ours = await foundOrganizationAt(table);
beforeEach(() => {
  [received, statuses, onReceived] = [[], [], () => undefined];
});

async function send(method: string, target: string, body: object): Promise<Record<string, unknown>> {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${ours.token}`],
    ['Content-Type', 'application/json'],
  ];
  const bytes = Buffer.from(JSON.stringify(body));
  const answer = await machine.answer({ method, target, headers, body: bytes, sourceIp: '::1' });
  expect(answer.status, answer.body).toBeLessThan(300);
  return JSON.parse(answer.body) as Record<string, unknown>;
}

/** Waits until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => (happened = resolve));
}
const runsOf = (name: string) => runs.filter((run) => run.name === name);
const done = (name: string) => runsOf(name).reduce((sum, run) => sum + (run.done ?? 0), 0);
/** Number of messages that came again after five seconds. */
let again = 0;
/** True if the sender has handled each message. */
const isQuiet = () =>
  runsOf('send-webhooks').length === done('dispatch-webhooks') + done('sweep-webhooks') + again;

/** Sends a request that changes something, and waits until the stream has told of it. */
async function change(target: string, body: object): Promise<Record<string, unknown>> {
  const before = runsOf('dispatch-webhooks').length;
  const answer = await send('POST', target, body);
  await until(() => runsOf('dispatch-webhooks').length > before);
  return answer;
}

/**
 * Moves the clock by a minute, and waits for the runs that are due by then. A run would end by its time limit if the
 * clock moved meanwhile.
 */
async function passMinute(): Promise<void> {
  const sweeps = runsOf('sweep-webhooks').length;
  const due = Math.floor((clock.now() + minute - startedAt) / (5 * minute));
  clock.moveBy(minute);
  await until(() => runsOf('sweep-webhooks').length > sweeps && runsOf('resolve-sending').length >= due);
  await until(isQuiet);
}

test('what happens arrives at a program of this computer, signed, and nothing else does', async () => {
  const { secret } = await change('/v1/webhooks', { url, types: ['lead.*', 'inquiry.*'] });
  const { lead } = await change('/v1/leads', { firstName: 'Ann' });
  await until(isQuiet);
  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [Received];
  const verified = new Webhook(String(secret)).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({ type: 'lead.created', data: { record: lead } });
  expect(runs.filter(({ failed }) => failed)).toEqual([]);
});

test('a receiver that fails is tried again after five seconds, and then after five minutes', async () => {
  statuses = [500, 500];
  await change('/v1/leads', { firstName: 'Bob' });
  await until(isQuiet);
  // The lead's message stays in the queue, and its group with it: later events wait, too.
  await change('/v1/leads', { firstName: 'Cy' });
  expect(received).toHaveLength(1);
  again++;
  clock.moveBy(5 * second);
  await until(isQuiet);
  expect(received).toHaveLength(2);
  let minutes = 0;
  for (; received.length === 2; minutes++) await passMinute();
  // Five minutes and up to a tenth more, less the time that has really passed, and the sweeper comes every minute.
  expect([5, 6, 7]).toContain(minutes);
  const names = received.map(({ body }) => (JSON.parse(body) as Sent).data.record.firstName);
  expect(names).toEqual(['Bob', 'Bob', 'Bob', 'Cy']);
  const ids = received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(ids[3]).not.toBe(ids[0]);
  expect(runs.filter(({ failed }) => failed)).toEqual([]);
});

test('a run that is short of time leaves the rest to the next one', async () => {
  await change('/v1/inquiries', {
    source: 'SMS',
    lead: { name: 'Dee' },
    data: { messages: [{ text: 'Hi' }] },
  });
  await until(isQuiet);
  const all = received.length;
  onReceived = () => {
    onReceived = () => undefined;
    clock.moveBy(40 * second);
  };
  received = [];
  // The message of the run itself is one more.
  again++;
  await change('/v1/webhooks/1/replay', { after: 0 });
  await until(isQuiet);
  expect(received.length).toBeGreaterThan(all);
  const ids = received.map(({ body }) => (JSON.parse(body) as { id: number }).id);
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
});

test('a webhook whose receiver is gone is disabled, in its turn among those who write', async () => {
  const Key = headKey(ours.code);
  const queue = { served: 0, waiting: 10, pace: 1 };
  await DynamoDBDocumentClient.from(machine.client).send(
    new UpdateCommand({
      TableName: machine.tableName,
      Key,
      UpdateExpression: 'SET queue = :queue',
      ExpressionAttributeValues: { ':queue': queue },
    }),
  );
  statuses = [410];
  await change('/v1/leads', { firstName: 'Eve' });
  await until(isQuiet);
  expect(received).toHaveLength(1);
  const { webhook } = await send('GET', '/v1/webhooks/1', {});
  expect(webhook).toMatchObject({ isEnabled: false, disabledReason: 'GONE' });
});

test('a sweep that takes too long is a dead letter, and the next one succeeds', async () => {
  clock.moveBy(minute);
  // By then it is under way.
  await new Promise((resolve) => setImmediate(resolve));
  clock.moveBy(sweepWebhooksWorker.timeoutSeconds * second);
  const ended = () => runs.find(({ name }) => name.startsWith('SweepWebhooks'));
  await until(() => ended() !== undefined);
  expect(ended()!.failed).toBe('is a dead letter');
  const before = runsOf('sweep-webhooks').length;
  clock.moveBy(minute);
  await until(() => runsOf('sweep-webhooks').length > before);
});
