import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeAll, listenOnLoopback } from '../../../../infra/local/loopback.ts';
import { receiveTextsWorker, resolveSendingWorker } from '../../../../shared/contract/sms.ts';
import { dispatchWebhooksWorker, sendWebhooksWorker } from '../../../../shared/contract/webhook-workers.ts';
import { FaultyMachine, minute, second } from './faulty-machine.ts';

/** Each fault of workers moves one alarm, except the pairs that alarms.ts names. */

const machine = new FaultyMachine();
await machine.start();
const breakableWorker = machine.breakable('resolve-sending:');
const dispatcher = machine.breakable(`${dispatchWebhooksWorker.name}:`);
const sender = machine.breakable(`${sendWebhooksWorker.name}:`);
afterAll(() => machine.close());
beforeEach(() => machine.rest());

/** Lets the worker fail for so many minutes, from its next event on. */
async function failWorker(minutes: number): Promise<void> {
  await machine.passRun();
  breakableWorker.breakIt('throws');
  const before = machine.failedRuns;
  await machine.pass(5, { waits: false });
  for (let passed = 0; ; passed++) {
    // Each event is tried three times: at once, a minute later, and two more minutes later.
    const tries = [0, 1, 3].map((late) => Math.floor((passed - late) / 5) + 1);
    await machine.failuresUntil(before + tries.reduce((sum, count) => sum + count, 0));
    if (passed === minutes) return;
    await machine.pass(1, { waits: false });
  }
}

test('a worker that fails at all tries of an event: ResolveSendingDeadLetters', async () => {
  await failWorker(3);
  breakableWorker.mend();
  await machine.pass(2);
  expect(machine.changes).toEqual(['ResolveSendingDeadLetters ALARM']);
  // The dead letters stay, and so does the alarm.
  await machine.pass(60);
  expect(machine.changes).toEqual(['ResolveSendingDeadLetters ALARM']);
  machine.emptyLetters();
  await machine.expectEnd(20);
});

test('a worker that hangs is ended by its time limit, and fails: ResolveSendingDeadLetters', async () => {
  await machine.passRun();
  breakableWorker.breakIt('hangs');
  const before = machine.failedRuns;
  // At the last try, the next event hangs as well.
  for (const [wait, failures] of [
    [5, 1],
    [1, 2],
    [2, 4],
  ] as const) {
    await machine.pass(wait, { waits: false });
    expect(machine.failedRuns).toBeLessThan(before + failures);
    machine.clock.moveBy(resolveSendingWorker.timeoutSeconds * second);
    await machine.failuresUntil(before + failures);
  }
  breakableWorker.mend();
  await machine.pass(1, { waits: false });
  await machine.expectRaised('ResolveSendingDeadLetters');
  machine.emptyLetters();
  await machine.expectEnd(20);
});

test('a worker that fails for half an hour: ResolveSendingDeadLetters, then ResolveSendingStuck', async () => {
  await failWorker(28);
  breakableWorker.mend();
  expect(machine.changes).toEqual(['ResolveSendingDeadLetters ALARM', 'ResolveSendingStuck ALARM']);
  machine.emptyLetters();
  await machine.pass(20);
  expect(machine.changes.slice(2).sort()).toEqual(['ResolveSendingDeadLetters OK', 'ResolveSendingStuck OK']);
});

test('texts that cannot be stored at any try: LeadsFail, then ReceiveTextsDeadLetters', async () => {
  await machine.receiveText({ from: '+61491570156', to: '+61491573087', text: 'Hello' });
  const { retries, timeoutSeconds } = receiveTextsWorker;
  for (let tries = 1; ; tries++) {
    await machine.runsUntil(receiveTextsWorker.name, tries);
    if (tries > retries) break;
    expect(machine.changes).toEqual(tries > 3 ? ['LeadsFail ALARM'] : []);
    // As long as the message is invisible after a try: six times the worker's time limit.
    await machine.pass((6 * timeoutSeconds) / 60);
  }
  await machine.pass(2);
  expect(machine.changes).toEqual(['LeadsFail ALARM', 'ReceiveTextsDeadLetters ALARM']);
  machine.emptyLetters();
  await machine.pass(62);
  expect(machine.changes.slice(2)).toEqual(['ReceiveTextsDeadLetters OK', 'LeadsFail OK']);
});

describe('webhooks', () => {
  let url: string;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(410).end());
  });
  beforeAll(async () => {
    url = `http://127.0.0.1:${await listenOnLoopback(receiver)}/hook`;
  });
  afterAll(() => closeAll(receiver));

  const { name: dispatching } = dispatchWebhooksWorker;
  const { name: sending } = sendWebhooksWorker;
  const newWebhook = (type: string) => machine.send('POST', '/v1/webhooks', { url, types: [type] });

  /**
   * Changes something, and waits for so many runs: a run would end by its time limit if the clock moved meanwhile.
   */
  async function change(
    request: () => Promise<number>,
    { dispatches, sends }: { dispatches: number; sends: number },
  ): Promise<void> {
    const wanted = [machine.runsOf(dispatching) + dispatches, machine.runsOf(sending) + sends] as const;
    expect(await request()).toBe(201);
    await machine.runsUntil(dispatching, wanted[0]);
    await machine.runsUntil(sending, wanted[1]);
  }

  test('whose change cannot be queued at any try: DispatchWebhooksDeadLetters', async () => {
    // The webhook wants no event that happens here, so that nothing is sent.
    await change(() => newWebhook('faq.created'), { dispatches: 1, sends: 1 });
    dispatcher.breakIt('throws');
    expect(await machine.newLead()).toBe(201);
    await machine.runsUntil('DispatchWebhooks', 1 + dispatchWebhooksWorker.retries);
    dispatcher.mend();
    await machine.pass(2);
    expect(machine.changes).toEqual(['DispatchWebhooksDeadLetters ALARM']);
    machine.emptyLetters();
    await machine.expectEnd(20);
  });

  test('that cannot be sent at any try: SendWebhooksDeadLetters', async () => {
    sender.breakIt('throws');
    await change(() => machine.newLead(), { dispatches: 1, sends: 0 });
    for (let tries = 1; ; tries++) {
      await machine.runsUntil('SendWebhooks', tries);
      if (tries > sendWebhooksWorker.retries) break;
      // Longer than a message is hidden.
      await machine.pass(2);
    }
    sender.mend();
    await machine.pass(2);
    expect(machine.changes).toEqual(['SendWebhooksDeadLetters ALARM']);
    machine.emptyLetters();
    await machine.expectEnd(20);
  });

  test('whose receiver is gone are disabled: DisabledWebhooks', async () => {
    await change(() => newWebhook('lead.created'), { dispatches: 1, sends: 2 });
    // The second change is that the webhook is disabled. The first webhook is told of it.
    await change(() => machine.newLead(), { dispatches: 2, sends: 3 });
    await machine.expectAlarm('DisabledWebhooks');
  });
});

test('a schedule or a queue that does not call its worker, as one that was disabled: ResolveSendingStuck, then those of queues', async () => {
  let age = 0;
  const idle = machine.idle(() => age);
  await idle.pass(14);
  expect(machine.changes).toEqual([]);
  await idle.pass(26);
  expect(machine.changes).toEqual(['ResolveSendingStuck ALARM']);
  age = 16 * 60;
  await idle.pass(2);
  expect(machine.changes.slice(1).sort()).toEqual(['ReceiveTextsStuck ALARM', 'SendWebhooksStuck ALARM']);
  idle.end();
});

test('a sweeper that does not run, or leaves a dead letter: SweepWebhooksStuck, SweepWebhooksDeadLetters', async () => {
  const idle = machine.idle(undefined, (name) => name.startsWith('SweepWebhooks'));
  await idle.pass(2);
  expect(machine.changes).toEqual([]);
  await idle.pass(4);
  expect(machine.changes).toEqual(['SweepWebhooksStuck ALARM']);
  idle.alarms.measure('SweepWebhooksDeadLetters', 1);
  await idle.pass(2);
  expect(machine.changes.slice(1)).toEqual(['SweepWebhooksDeadLetters ALARM']);
  idle.end();
});

test('a stream whose records wait for 15 minutes: DispatchWebhooksStuck', async () => {
  const idle = machine.idle(undefined, (name) => name.startsWith('DispatchWebhooks'));
  idle.alarms.measure('DispatchWebhooksStuck', 15 * minute);
  await idle.pass(2);
  expect(machine.changes).toEqual([]);
  idle.alarms.measure('DispatchWebhooksStuck', 15 * minute + 1);
  await idle.pass(2);
  expect(machine.changes).toEqual(['DispatchWebhooksStuck ALARM']);
  idle.end();
});

test('each alarm of workers is raised by a fault here', () => {
  expect(machine.notRaised(true)).toEqual([]);
});
