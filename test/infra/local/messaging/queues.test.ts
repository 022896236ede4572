import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../../infra/local/functions/function-messages.ts';
import { Queues } from '../../../../infra/local/messaging/queues.ts';
import type { WorkQueue } from '../../../../infra/local/template/messaging.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { done, failed, settle, workerCalls } from '../worker-calls.ts';

interface SqsEvent {
  Records: [
    { messageId: string; body: string; attributes: Record<string, string> } & Record<string, unknown>,
  ];
}

const queue = (changes: Partial<WorkQueue> = {}): WorkQueue => ({
  id: 'Queue',
  functionName: 'Answer',
  isFifo: false,
  maxConcurrency: 2,
  visibilityTimeout: 60_000,
  maxReceives: 3,
  deadLetters: 'DeadLetters',
  ...changes,
});

let folder: string;
let calls: ReturnType<typeof workerCalls>;
let events: SqsEvent['Records'][0][];
/** Outcomes of the next calls. Further calls succeed. */
let outcomes: (Outcome | Promise<Outcome | undefined> | undefined)[];
beforeEach(() => {
  folder = newFolder();
  calls = workerCalls();
  [events, outcomes] = [[], []];
});
afterEach(() => {
  vi.useRealTimers();
});

/** Queues of one start. */
function start(queues: WorkQueue[] = [queue()], { isOpen = true } = {}): Queues {
  const started = new Queues({
    ...calls,
    invoke: async (functionName, event) => {
      expect(functionName).toBe('Answer');
      events.push((event as SqsEvent).Records[0]);
      return outcomes.length > 0 ? outcomes.shift() : done;
    },
    folder,
  });
  started.keep(queues);
  if (isOpen) started.open();
  return started;
}

const left = () => (existsSync(join(folder, 'Queue')) ? readdirSync(join(folder, 'Queue')) : []);
const bodies = () => events.map(({ body }) => body);
const ends = () => calls.ends();
const pass = (milliseconds: number) => calls.pass(milliseconds);

describe('a queue that calls a function', () => {
  test("passes SQS's event once, and is empty when it is done", async () => {
    start().send('Queue', 'Grüße');
    expect(left()).toHaveLength(1);
    await settle();
    expect(events).toEqual([
      {
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        receiptHandle: expect.any(String) as string,
        body: 'Grüße',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/) as string,
          SenderId: '000000000000',
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/) as string,
        },
        messageAttributes: {},
        md5OfBody: '49c5f675b49037b6044b803ac9d1a6d7',
        eventSource: 'aws:sqs',
        eventSourceARN: expect.stringMatching(/:Queue$/) as string,
        awsRegion: 'us-east-1',
      },
    ]);
    expect(left()).toEqual([]);
    await pass(60_000);
    expect(ends()).toEqual([undefined]);
  });

  test('retries forever without a dead-letter queue', async () => {
    outcomes = [failed, failed, failed, failed];
    start([queue({ deadLetters: undefined, maxReceives: Infinity })]).send('Queue', 'a');
    for (let minutes = 0; minutes < 6; minutes++) await pass(60_000);
    expect(ends().at(-1)).toBeUndefined();
    expect(events).toHaveLength(5);
  });

  test('respects its concurrency, and continues when a call ends', async () => {
    const [first, second] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()];
    outcomes = [first.promise, second.promise];
    const queues = start();
    for (const body of ['a', 'b', 'c', 'd']) queues.send('Queue', body);
    await settle();
    expect(bodies()).toEqual(['a', 'b']);
    expect(queues.countOf('Queue')).toBe(2);
    second.resolve(failed);
    await settle();
    // The failed message does not delay the others.
    expect(bodies()).toEqual(['a', 'b', 'c', 'd']);
    first.resolve(done);
    await pass(60_000);
    expect(bodies()).toEqual(['a', 'b', 'c', 'd', 'b']);
    expect(left()).toEqual([]);
  });

  test('loses nothing while a disk is full, and refuses messages that it cannot store', async () => {
    outcomes = [failed, failed, failed, failed];
    const queues = start([queue()], { isOpen: false });
    queues.send('Queue', 'a');
    renameSync(join(folder, 'Queue'), join(folder, 'away'));
    writeFileSync(join(folder, 'Queue'), '');
    expect(() => {
      queues.send('Queue', 'b');
    }).toThrow(/Queue\S+ cannot be written: /);
    queues.open();
    await settle();
    rmSync(join(folder, 'Queue'));
    renameSync(join(folder, 'away'), join(folder, 'Queue'));
    calls.isDiskFull = true;
    for (let tries = 0; tries < 2; tries++) await pass(60_000);
    expect(left()).toHaveLength(1);
    calls.isDiskFull = false;
    await pass(60_000);
    expect(bodies()).toEqual(['a', 'a', 'a', 'a']);
    expect(ends()).toEqual(['is tried again', 'is tried again', 'is tried again', 'is a dead letter']);
    expect(calls.letters).toHaveLength(1);
    expect(left()).toEqual([]);
  });

  test('keeps its messages over a change of the template, and applies it', async () => {
    outcomes = [failed, undefined];
    const queues = start();
    queues.send('Queue', 'a');
    await settle();
    queues.keep([]);
    await pass(60_000);
    expect(events).toHaveLength(1);
    // The queue's function is missing for a while.
    queues.keep([queue({ visibilityTimeout: 1000 })]);
    await settle();
    await pass(1000);
    expect(events).toHaveLength(3);
    expect(left()).toEqual([]);
  });
});

describe('a FIFO queue', () => {
  const fifo = queue({ id: 'Queue', isFifo: true, maxConcurrency: 3 });
  const place = (group: string, deduplication: string) => ({ group, deduplication });

  test('calls with the messages of a group in order, one after the other, and of others meanwhile', async () => {
    const [first, other] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()];
    outcomes = [first.promise, other.promise];
    const queues = start([fifo]);
    for (const body of ['a1', 'a2', 'b1', 'a3', 'b2'])
      queues.send('Queue', body, place(body.charAt(0), body));
    await settle();
    expect(bodies()).toEqual(['a1', 'b1']);
    expect(events[0]!.attributes).toMatchObject({
      MessageGroupId: 'a',
      MessageDeduplicationId: 'a1',
      SequenceNumber: expect.stringMatching(/^\d{16}$/) as string,
    });
    other.resolve(done);
    await settle();
    expect(bodies()).toEqual(['a1', 'b1', 'b2']);
    first.resolve(done);
    for (let at = 0; at < 3; at++) await settle();
    expect(bodies()).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
    expect(left()).toEqual([]);
  });

  test('takes a message with a known deduplication id for the same one for five minutes, in its group', async () => {
    const queues = start([fifo]);
    const { id } = queues.send('Queue', 'a1', place('a', '1'));
    expect(queues.send('Queue', 'again', place('a', '1')).id).toBe(id);
    queues.send('Queue', 'b1', place('b', '1'));
    await pass(290_000);
    queues.send('Queue', 'again', place('a', '1'));
    await pass(10_000);
    queues.send('Queue', 'later', place('a', '1'));
    await settle();
    expect(bodies()).toEqual(['a1', 'b1', 'later']);
  });

  test('keeps order, groups and deduplication ids over the end of the machine', async () => {
    const killed = start([fifo], { isOpen: false });
    for (const body of ['a1', 'a2', 'a3']) killed.send('Queue', body, place('a', body));
    killed.stop();
    const next = start([fifo], { isOpen: false });
    next.send('Queue', 'again', place('a', 'a2'));
    next.send('Queue', 'a4', place('a', 'a4'));
    next.open();
    for (let at = 0; at < 4; at++) await settle();
    expect(bodies()).toEqual(['a1', 'a2', 'a3', 'a4']);
  });
});

describe('a message in a queue when the machine ends', () => {
  test('is delivered by the next start: new messages, those under way, and those that waited for a retry', async () => {
    const underWay = Promise.withResolvers<Outcome>();
    outcomes = [underWay.promise, failed];
    const killed = start();
    for (const body of ['under way', 'failed']) killed.send('Queue', body);
    await settle();
    killed.stop();
    killed.send('Queue', 'sent while it ended');
    // The outcome comes after the end, so the message is not removed.
    underWay.resolve(done);
    await settle();
    expect(ends()).toEqual(['is tried again']);
    expect(left()).toHaveLength(3);

    events = [];
    start();
    await settle();
    await settle();
    expect(bodies().sort()).toEqual(['failed', 'sent while it ended', 'under way']);
    const counts = events.map(({ body, attributes }) => [body, attributes['ApproximateReceiveCount']]);
    expect(Object.fromEntries(counts)).toEqual({ failed: '2', 'under way': '2', 'sent while it ended': '1' });
    expect(left()).toEqual([]);
  });

  test('is not lost because of a file that a kill left half written', async () => {
    start([queue()], { isOpen: false }).send('Queue', 'a');
    writeFileSync(join(folder, 'Queue', 'half.draft'), '{"id":"ha');
    start();
    await settle();
    expect(bodies()).toEqual(['a']);
  });

  test('is forgotten without a folder', async () => {
    const queues = new Queues({ ...calls, invoke: () => Promise.resolve(done), folder: undefined });
    queues.keep([queue()]);
    queues.send('Queue', 'a');
    expect(queues.countOf('Queue')).toBe(1);
    queues.open();
    await settle();
    expect(queues.countOf('Queue')).toBe(0);
  });
});
