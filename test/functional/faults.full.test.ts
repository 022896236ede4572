import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { MachineClock } from '../../infra/local/clock.ts';
import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { type EngineProxy, type Refusal, startEngineProxy } from '../../infra/local/proxies/engine-proxy.ts';
import { startEngine, type Engine } from '../../infra/local/engine.ts';
import { closeAll, listenOnLoopback } from '../../infra/local/loopback.ts';
import { Machine } from '../../infra/local/machine.ts';
import { synthesize } from '../../infra/local/synthesize.ts';
import { stageSettings } from '../../infra/stack/stages.ts';
import { receiveTextsWorker, resolveSendingWorker } from '../../shared/contract/sms.ts';
import { dispatchWebhooksWorker, sendWebhooksWorker } from '../../shared/contract/webhook-workers.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { Alarms } from '../support/metrics/alarms.ts';
import { breakable, type Breakable } from '../support/machine/breakable.ts';
import { loggingInto, runLogIn } from '../support/machine/run-log.ts';
import type { Resources } from '../support/metrics/named-metrics.ts';
import { foundOrganizationAt, type StoredOrganization } from '../support/organizations.ts';

/**
 * Each fault moves one alarm, except the pairs that alarms.ts names. The tests move the clock of the machine,
 * so that an hour passes at once, also for a function that runs.
 */

const second = 1000;
const minute = 60 * second;

/** Name of the scheduled worker's function. */
const worker = 'SalesPipeline-dev-ResolveSending';
const textsFunction = 'SalesPipeline-dev-ReceiveTexts';
const templateFileOf = (assembly: string) => join(assembly, 'SalesPipeline-dev.template.json');
const resourcesOf = (assembly: string) =>
  (
    JSON.parse(readFileSync(templateFileOf(assembly), 'utf8')) as {
      Resources: Resources;
    }
  ).Resources;

/** More than any test lasts by the machine's clock. */
const hoursWithoutTraffic = 3;

const clock = new MachineClock();
const folder = temporaryFolder();
let engine: Engine;
let proxy: EngineProxy;
let machine: Machine;
let alarms: Alarms;
/**
 * Time just before the schedules begin. So a run is never under way before it is waited for. Otherwise the run would
 * time out as the clock moves, and its next try would wait for a clock that waits for it.
 */
let startedAt: number;
let ours: StoredOrganization;
let theirs: StoredOrganization;
let sendSms: Breakable;
let getLead: Breakable;
let authorizer: Breakable;
let breakableWorker: Breakable;
let dispatcher: Breakable;
let sender: Breakable;

/** Returns the refusal that a call of DynamoDB gets, if any. */
let onCall: (body: string) => Refusal | undefined = () => undefined;
/** Alarms that changed, such as `ServerErrors ALARM`. */
let changes: string[] = [];
/** Alarms that a test of this file raised. */
const raised = new Set<string>();
const onChange = (change: string) => {
  changes.push(change);
  const [name = '', state] = change.split(' ');
  if (state === 'ALARM') raised.add(name);
};
/** False while the access log receives no lines. */
let hasAccessLog = true;
/** Number of events of the worker's schedule that ended. */
let eventsDone = 0;
/** Number of the worker's runs that failed. */
let failedRuns = 0;
let ran: () => void = () => undefined;
/** Number of runs of other workers, by the name of the worker, or of its function if it wrote no line. */
const otherRuns = new Map<string, number>();
let otherRan: () => void = () => undefined;
let runFailed: () => void = () => undefined;

beforeAll(async () => {
  // This machine needs its own database: the clock moves by hours here, and the worker would settle messages
  // that other files' tests are sending.
  vi.stubEnv('DYNAMODB_ENDPOINT', '');
  engine = await startEngine();
  proxy = await startEngineProxy(engine.endpoint, (_, body) => onCall(body.toString()));
  vi.stubEnv('DYNAMODB_ENDPOINT', proxy.endpoint);
  const recorders = loggingInto(runLogIn(inject('runLog')));
  await synthesizeWithoutSweeper();
  startedAt = clock.now();
  machine = await Machine.start({
    ...folder,
    isSynthesized: true,
    watch: false,
    clock,
    keepSms: () => undefined,
    // Each report would start another worker, which would time out when the clock is moved.
    reportsDelivery: false,
    ...recorders,
    onLogLine: (group, line) => {
      recorders.onLogLine(group, line);
      if (hasAccessLog || group !== 'access') alarms.onLogLine(group, line);
    },
    onRun: ({ name, failed }) => {
      if (name !== resolveSendingWorker.name && !name.startsWith('ResolveSending')) {
        otherRuns.set(name, (otherRuns.get(name) ?? 0) + 1);
        otherRan();
        if (name.startsWith('ReceiveTexts') || name === receiveTextsWorker.name)
          alarms.add('AWS/Lambda', 'Errors', { FunctionName: textsFunction }, Number(failed !== undefined));
        return;
      }
      alarms.onRun({ failed });
      if (failed !== 'is tried again') eventsDone++;
      if (failed) failedRuns++;
      if (failed) runFailed();
      ran();
    },
  });
  vi.unstubAllEnvs();
  const options = { clock, logs: folder.logs, worker, onChange, isObserved };
  alarms = new Alarms(resourcesOf(folder.assembly), options);
  sendSms = breakable(folder.assembly, 'POST /v1/sms:');
  getLead = breakable(folder.assembly, 'GET /v1/leads/{leadId}:');
  authorizer = breakable(folder.assembly, 'Maps a token');
  breakableWorker = breakable(folder.assembly, 'resolve-sending:');
  dispatcher = breakable(folder.assembly, `${dispatchWebhooksWorker.name}:`);
  sender = breakable(folder.assembly, `${sendWebhooksWorker.name}:`);
  const table = { endpoint: engine.endpoint, tableName: machine.tableName };
  [ours, theirs] = [await foundOrganizationAt(table, 'AU'), await foundOrganizationAt(table, 'NZ')];
});
afterAll(async () => {
  alarms.stop();
  await machine.close();
  await proxy.close();
  await engine.close();
  folder.release();
});
beforeEach(async () => {
  onCall = () => undefined;
  // After a failed test, waits until its alarms are over.
  for (let passed = 0; alarms.firing.size > 0 && passed < 200; passed++) await pass(1);
  expect(await listLeads()).toBe(200);
  // By then the authorizer has forgotten its answers.
  await pass(2);
  changes = [];
});

const isNotOfSweeper = (name: string) => !name.startsWith('SweepWebhooks');
/** True for alarms whose metrics this machine has. customers.test.ts raises the alarms about polls and topics. */
const isObserved = (name: string) => isNotOfSweeper(name) && !/Unread$|^LostTexts$/.test(name);

/**
 * Synthesizes the stack with settings that give it every alarm. Leaves out the sweeper's schedule, because its runs
 * would end by their time limit each time a minute passes at once.
 */
async function synthesizeWithoutSweeper(): Promise<void> {
  const settings = { webAcl: 'own', alarmAfterHoursWithoutTraffic: String(hoursWithoutTraffic) };
  await synthesize(folder.assembly, { settings });
  const file = templateFileOf(folder.assembly);
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Record<string, { Type: string }> };
  const others = Object.entries(template.Resources).filter(
    ([id, { Type }]) => isNotOfSweeper(id) || Type !== 'AWS::Events::Rule',
  );
  writeFileSync(file, JSON.stringify({ ...template, Resources: Object.fromEntries(others) }));
}

/** Number of runs of another worker, by its name, or by the beginning of its function's name if it failed. */
const otherRunsOf = (name: string) =>
  [...otherRuns].reduce((sum, [one, runs]) => sum + (one.startsWith(name) ? runs : 0), 0);
async function otherRunsUntil(name: string, count: number): Promise<void> {
  while (otherRunsOf(name) < count) await new Promise<void>((resolve) => (otherRan = resolve));
}

async function send(method: string, target: string, body?: object, { token } = ours): Promise<number> {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${token}`],
    ['Content-Type', 'application/json'],
  ];
  const bytes = Buffer.from(body ? JSON.stringify(body) : '');
  const { status } = await machine.answer({ method, target, headers, body: bytes, sourceIp: '::1' });
  alarms.onAnswer(status);
  return status;
}

/** Runs a request so many times, one after the other. */
const times = async (count: number, one: () => Promise<number>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let at = 0; at < count; at++) statuses.push(await one());
  return statuses;
};

const newLead = () => send('POST', '/v1/leads', { firstName: 'Ann' });
/** Writes something that is no lead, so that LeadsFail does not start. */
const newCompany = (as = ours) => send('POST', '/v1/companies', { name: 'Harbour' }, as);
const listLeads = () => send('GET', '/v1/leads');

const leadIds = new Map<string, string>();
/** Sends an SMS to a lead with this number. */
async function sendText(phone: string): Promise<number> {
  const { userId } = ours;
  const { ledger } = ours.openLedger();
  const leadId = leadIds.get(phone) ?? (await createLead(ledger, { firstName: 'Ann', phone })).id;
  leadIds.set(phone, leadId);
  return send('POST', '/v1/sms', { userId, leadId, message: 'We come at 3' });
}

/** Waits for callbacks that are due, also of a run that has to start an environment first. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the worker has made all runs that are due by now. */
async function runsUntilNow(): Promise<void> {
  const due = Math.floor((clock.now() - startedAt) / (5 * minute));
  while (eventsDone < due) await new Promise<void>((resolve) => (ran = resolve));
}

async function pass(minutes: number, { waits = true } = {}): Promise<void> {
  // A run under way would time out when a minute passes at once.
  if (waits) await runsUntilNow();
  for (let passed = 0; passed < minutes; passed++) {
    clock.moveBy(minute);
    await settle();
    if (waits) await runsUntilNow();
  }
}

/** Lets calls pass again. Expects that this alarm, and no other, is raised within a minute. */
async function raises(alarm: string): Promise<void> {
  onCall = () => undefined;
  await pass(1);
  expect(changes).toEqual([`${alarm} ALARM`]);
}

/** Ends the fault, and lets the alarm end within so many minutes. */
async function endsWithin(minutes: number): Promise<void> {
  const before = [...changes];
  for (let passed = 0; passed < minutes && changes.length === before.length; passed++) await pass(1);
  expect(changes).toEqual([...before, before.at(-1)!.replace('ALARM', 'OK')]);
  // Leaves nothing of the fault to the next test.
  await pass(15);
  expect(changes).toEqual([...before, before.at(-1)!.replace('ALARM', 'OK')]);
}

const logged = (group: string) =>
  readFileSync(join(folder.logs, `${group}.log`), 'utf8')
    .trimEnd()
    .split('\n');

const throttled: Refusal = { name: 'ThrottlingException', message: 'Rate exceeded' };

test('without a fault no alarm changes, not even at the start', async () => {
  expect(await newLead()).toBe(201);
  await pass(20);
  expect(changes).toEqual([]);
});

test('a provider that cannot be reached: TextsFail', async () => {
  sendSms.breakIt('does not find its provider');
  expect(await times(3, () => sendText('+61491571001'))).toEqual([502, 502, 502]);
  await pass(1);
  expect(changes).toEqual(['TextsFail ALARM']);
  // An environment that crashes ends: one failed request is no alarm.
  sendSms.breakIt('crashes');
  expect(await sendText('+61491571002')).toBe(500);
  sendSms.mend();
  expect(await sendText('+61491571003')).toBe(201);
  await endsWithin(61);
});

test.each([
  ['that refuses', '+61491570006'],
  ['that gives no answer', '+61491570313'],
])('a provider %s: TextsFail', async (_, phone) => {
  expect(await times(2, () => sendText(phone))).toEqual([502, 502]);
  await pass(1);
  expect(changes).toEqual([]);
  expect(await sendText(phone)).toBe(502);
  await raises('TextsFail');
  await endsWithin(61);
});

test('a number that has opted out is no fault', async () => {
  expect(await times(5, () => sendText('+61491570110'))).toEqual([400, 400, 400, 400, 400]);
  await pass(2);
  expect(changes).toEqual([]);
});

/**
 * Throttles calls with `about` in the body. Requests from now on have no time for another try, but time to
 * answer. Call `passRun` before: a failed run of the worker would be tried again a minute later.
 */
function throttle(about = ''): void {
  const late = clock.now() + 13.7 * second;
  onCall = (body) => {
    if (!body.includes(about)) return undefined;
    clock.moveBy(Math.max(0, late - clock.now()));
    return throttled;
  };
}

test('a table that is throttled for one organization: RefusedWrites, and other organizations are not affected', async () => {
  await passRun();
  const inVain = () => {
    throttle(ours.code);
    return newCompany();
  };
  expect(await times(5, inVain)).toEqual([503, 503, 503, 503, 503]);
  onCall = () => undefined;
  expect(await send('POST', '/v1/leads', { firstName: 'Bo' }, theirs)).toBe(201);
  await raises('RefusedWrites');
  await endsWithin(20);
});

test('a table that is throttled completely, while the tokens are remembered: RefusedWrites', async () => {
  await passRun();
  // This lets the authorizer remember the token, and no function has to start.
  expect(await Promise.all([newCompany(theirs), newCompany(theirs)])).toEqual([201, 201]);
  expect(await newCompany()).toBe(201);
  // Two at once: more would share this computer's cores, and could be out of time.
  for (let at = 0; at < 3; at++) {
    throttle();
    expect(await Promise.all([newCompany(), newCompany()])).toEqual([503, 503]);
  }
  await raises('RefusedWrites');
  await endsWithin(20);
});

test('a table that is throttled completely, while no token is remembered: ServerErrors', async () => {
  await passRun();
  // By then the authorizer has forgotten its answers.
  await pass(2);
  throttle();
  expect(await Promise.all(Array.from({ length: 6 }, () => newCompany()))).toEqual([
    500, 500, 500, 500, 500, 500,
  ]);
  await raises('ServerErrors');
  await endsWithin(20);
});

const denied: Refusal = { name: 'AccessDeniedException', message: 'User: a is not authorized to perform: b' };

test('batches whose every item fails, answered 200: ServerErrors', async () => {
  onCall = (body) => (body.includes(ours.code) ? denied : undefined);
  const batch = { updates: [{ id: 1, name: 'Tap' }] };
  const answers = await times(20, () => send('PATCH', '/v1/products/batch', batch));
  expect(new Set(answers)).toEqual(new Set([200]));
  await raises('ServerErrors');
  expect(JSON.parse(logged('api').at(-1)!)).toMatchObject({ level: 'error', status: 200, hiddenErrors: 1 });
  await endsWithin(20);
});

test('outcomes of texts that cannot be stored, answered 201: ServerErrors', async () => {
  onCall = (body) => (body.includes('SMS_ACCEPTED') ? denied : undefined);
  expect(await times(3, () => sendText('+61491571004'))).toEqual([201, 201, 201]);
  await raises('ServerErrors');
  await endsWithin(20);
});

test('reads that fail among many requests that no function serves: ServerErrors', async () => {
  const noToken = { ...ours, token: 'sk_live_x' };
  expect(new Set(await times(200, () => send('GET', '/v1/leads', undefined, noToken)))).toEqual(
    new Set([401]),
  );
  expect(new Set(await times(200, () => send('GET', '/wp-admin')))).toEqual(new Set([404]));
  onCall = (body) =>
    body.includes(ours.code) ? { name: 'ValidationException', message: 'Broken' } : undefined;
  expect(await times(3, listLeads)).toEqual([500, 500, 500]);
  await raises('ServerErrors');
  await endsWithin(20);
});

test('a function that answers 500: ServerErrors', async () => {
  onCall = (body) =>
    body.includes(ours.code) ? { name: 'ValidationException', message: 'Broken' } : undefined;
  expect(await times(2, listLeads)).toEqual([500, 500]);
  await pass(1);
  expect(changes).toEqual([]);
  expect(await listLeads()).toBe(500);
  await raises('ServerErrors');
  await endsWithin(20);
});

test('an authorizer that throws: ServerErrors', async () => {
  // By then the authorizer has forgotten its answers.
  await pass(2);
  authorizer.breakIt('throws');
  expect(await times(3, listLeads)).toEqual([500, 500, 500]);
  authorizer.mend();
  expect(await listLeads()).toBe(200);
  await raises('ServerErrors');
  await endsWithin(20);
});

test.each(['throws', 'crashes'] as const)('a function that %s: ServerErrors', async (how) => {
  getLead.breakIt(how);
  expect(await times(3, () => send('GET', '/v1/leads/lead_0'))).toEqual([500, 500, 500]);
  await raises('ServerErrors');
  getLead.mend();
  expect(await send('GET', '/v1/leads/lead_0')).toBe(404);
  // The function logs nothing: the access log and Lambda do.
  const access = logged('access').filter((line) => line.includes('"status":"500"'));
  const failed = JSON.parse(access.at(-1)!) as Record<string, string>;
  expect(failed).toMatchObject({
    route: '/v1/leads/{leadId}',
    organization: ours.code,
    functionStatus: '200',
  });
  const { functionRequestId = '' } = failed;
  expect(logged('api').find((line) => line.includes(functionRequestId))).toContain(
    how === 'throws' ? '"Broken"' : 'The function ended its process',
  );
  await endsWithin(20);
});

/** Lets requests be answered in three periods of the alarms. Each period begins on a full minute. */
async function inThreePeriods(answers: () => Promise<void>): Promise<void> {
  clock.moveBy(minute - (clock.now() % minute));
  await settle();
  await runsUntilNow();
  for (let period = 0; period < 3; period++) {
    expect(changes).toEqual([]);
    await answers();
    await pass(5);
  }
}

const withoutGrant = () => send('GET', '/v1/leads', undefined, { ...ours, token: 'sk_live_x' });

test('tokens that are refused for a quarter of an hour while pages are read: LockedOut, and not if a ninth of them is served', async () => {
  await inThreePeriods(async () => {
    await times(48, withoutGrant);
    expect(new Set(await times(6, listLeads))).toEqual(new Set([200]));
  });
  expect(changes).toEqual([]);
  await inThreePeriods(async () => {
    expect(new Set(await times(20, withoutGrant))).toEqual(new Set([401]));
    expect(new Set(await times(5, () => send('GET', '/')))).toEqual(new Set([200]));
  });
  expect(changes).toEqual(['LockedOut ALARM']);
  await endsWithin(20);
});

test('errors of a function while the access log receives no lines: UnloggedErrors', async () => {
  hasAccessLog = false;
  onCall = (body) =>
    body.includes(ours.code) ? { name: 'ValidationException', message: 'Broken' } : undefined;
  await inThreePeriods(async () => {
    expect(await times(3, listLeads)).toEqual([500, 500, 500]);
  });
  expect(changes).toEqual(['UnloggedErrors ALARM']);
  onCall = () => undefined;
  hasAccessLog = true;
  await endsWithin(20);
});

test.each([
  [
    'writes of four fifths of the units that are set',
    'WriteUnits',
    0.8 * stageSettings.dev.maxWriteRequestUnits * 300,
  ],
  ['a key whose rate refuses a request', 'RefusedKeys', 1],
  ['an account of which four fifths of the concurrency is taken', 'Concurrency', 800],
  ['functions that Lambda throttles', 'Throttled', 3],
  ['requests beyond the rate of API Gateway', 'TooManyRequests', 10],
])('%s: %s', async (_, alarm, value) => {
  alarms.measure(alarm, value - 1);
  await pass(6);
  expect(changes).toEqual([]);
  alarms.measure(alarm, value);
  await raises(alarm);
  await endsWithin(20);
});

test.each([
  ['answers that are', () => ours.code],
  ['an authorizer that is', () => 'TOKEN#'],
])('%s slow for a quarter of an hour: SlowAnswers', async (_, isSlow) => {
  // Begins on a full minute, so that each period of the alarm has one timeout, though each takes 4 s longer.
  clock.moveBy(minute - (clock.now() % minute));
  await settle();
  await runsUntilNow();
  for (let period = 0; period < 3; period++) {
    expect(changes).toEqual([]);
    onCall = (body) => {
      if (body.includes(isSlow())) clock.moveBy(4 * second);
      return undefined;
    };
    expect(await listLeads()).toBe(200);
    onCall = () => undefined;
    // A run that begins in between would time out a minute later.
    await settle();
    await runsUntilNow();
    await pass(5);
  }
  expect(changes).toEqual(['SlowAnswers ALARM']);
  expect(await listLeads()).toBe(200);
  await endsWithin(20);
});

/** Waits until so many of the worker's runs have failed. */
async function failuresUntil(count: number): Promise<void> {
  while (failedRuns < count) await new Promise<void>((resolve) => (runFailed = resolve));
}

/** Lets time pass until just after a run, so that the next one is five minutes away. */
async function passRun(): Promise<void> {
  for (const before = eventsDone; eventsDone === before;) await pass(1);
}

/** Lets the worker fail for so many minutes, from its next event on. */
async function failWorker(minutes: number): Promise<void> {
  await passRun();
  breakableWorker.breakIt('throws');
  const before = failedRuns;
  await pass(5, { waits: false });
  for (let passed = 0; ; passed++) {
    // Each event is tried three times: at once, a minute later, and two more minutes later.
    const tries = [0, 1, 3].map((late) => Math.floor((passed - late) / 5) + 1);
    await failuresUntil(before + tries.reduce((sum, count) => sum + count, 0));
    if (passed === minutes) return;
    await pass(1, { waits: false });
  }
}

/** Empties the queue of dead letters. */
const emptyLetters = () => {
  rmSync(join(folder.logs, 'dead-letters'), { recursive: true });
};

test('a worker that fails at all tries of an event: ResolveSendingDeadLetters', async () => {
  await failWorker(3);
  breakableWorker.mend();
  await pass(2);
  expect(changes).toEqual(['ResolveSendingDeadLetters ALARM']);
  // The dead letters stay, and so does the alarm.
  await pass(60);
  expect(changes).toEqual(['ResolveSendingDeadLetters ALARM']);
  emptyLetters();
  await endsWithin(20);
});

test('a worker that hangs is ended by its time limit, and fails: ResolveSendingDeadLetters', async () => {
  await passRun();
  breakableWorker.breakIt('hangs');
  const before = failedRuns;
  // At the last try, the next event hangs as well.
  for (const [wait, failures] of [
    [5, 1],
    [1, 2],
    [2, 4],
  ] as const) {
    await pass(wait, { waits: false });
    expect(failedRuns).toBeLessThan(before + failures);
    clock.moveBy(resolveSendingWorker.timeoutSeconds * second);
    await failuresUntil(before + failures);
  }
  breakableWorker.mend();
  await pass(1, { waits: false });
  await raises('ResolveSendingDeadLetters');
  emptyLetters();
  await endsWithin(20);
});

test('a worker that fails for half an hour: ResolveSendingDeadLetters, then ResolveSendingStuck', async () => {
  await failWorker(28);
  breakableWorker.mend();
  expect(changes).toEqual(['ResolveSendingDeadLetters ALARM', 'ResolveSendingStuck ALARM']);
  emptyLetters();
  await pass(20);
  expect(changes.slice(2).sort()).toEqual(['ResolveSendingDeadLetters OK', 'ResolveSendingStuck OK']);
});

test('texts that cannot be stored at any try: LeadsFail, then ReceiveTextsDeadLetters', async () => {
  const body = Buffer.from('from=%2B61491570156&to=%2B61491573087&text=Hello');
  const headers: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']];
  const request = { method: 'POST', target: '/local/texts', headers, body, sourceIp: '::1' };
  expect((await machine.answer(request)).status).toBe(202);
  const { retries, timeoutSeconds } = receiveTextsWorker;
  for (let tries = 1; ; tries++) {
    await otherRunsUntil(receiveTextsWorker.name, tries);
    if (tries > retries) break;
    expect(changes).toEqual(tries > 3 ? ['LeadsFail ALARM'] : []);
    // As long as the message is invisible after a try: six times the worker's time limit.
    await pass((6 * timeoutSeconds) / 60);
  }
  await pass(2);
  expect(changes).toEqual(['LeadsFail ALARM', 'ReceiveTextsDeadLetters ALARM']);
  emptyLetters();
  await pass(62);
  expect(changes.slice(2)).toEqual(['ReceiveTextsDeadLetters OK', 'LeadsFail OK']);
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
  const newWebhook = (type: string) => send('POST', '/v1/webhooks', { url, types: [type] });

  /**
   * Changes something, and waits for so many runs: a run would end by its time limit if the clock moved meanwhile.
   */
  async function change(
    request: () => Promise<number>,
    { dispatches, sends }: { dispatches: number; sends: number },
  ): Promise<void> {
    const wanted = [otherRunsOf(dispatching) + dispatches, otherRunsOf(sending) + sends] as const;
    expect(await request()).toBe(201);
    await otherRunsUntil(dispatching, wanted[0]);
    await otherRunsUntil(sending, wanted[1]);
  }

  test('whose change cannot be queued at any try: DispatchWebhooksDeadLetters', async () => {
    // The webhook wants no event that happens here, so that nothing is sent.
    await change(() => newWebhook('faq.created'), { dispatches: 1, sends: 1 });
    dispatcher.breakIt('throws');
    expect(await newLead()).toBe(201);
    await otherRunsUntil('DispatchWebhooks', 1 + dispatchWebhooksWorker.retries);
    dispatcher.mend();
    await pass(2);
    expect(changes).toEqual(['DispatchWebhooksDeadLetters ALARM']);
    emptyLetters();
    await endsWithin(20);
  });

  test('that cannot be sent at any try: SendWebhooksDeadLetters', async () => {
    sender.breakIt('throws');
    await change(newLead, { dispatches: 1, sends: 0 });
    for (let tries = 1; ; tries++) {
      await otherRunsUntil('SendWebhooks', tries);
      if (tries > sendWebhooksWorker.retries) break;
      // Longer than a message is hidden.
      await pass(2);
    }
    sender.mend();
    await pass(2);
    expect(changes).toEqual(['SendWebhooksDeadLetters ALARM']);
    emptyLetters();
    await endsWithin(20);
  });

  test('whose receiver is gone are disabled: DisabledWebhooks', async () => {
    await change(() => newWebhook('lead.created'), { dispatches: 1, sends: 2 });
    // The second change is that the webhook is disabled. The first webhook is told of it.
    await change(newLead, { dispatches: 2, sends: 3 });
    await raises('DisabledWebhooks');
    await endsWithin(20);
  });
});

/** Evaluates the alarms on the metrics of another machine, which does nothing by itself. */
function idleMachine(queueAge: () => number = () => 0, isObserved = isNotOfSweeper) {
  const idleClock = new MachineClock();
  const idle = temporaryFolder();
  const idleAlarms = new Alarms(resourcesOf(folder.assembly), {
    clock: idleClock,
    logs: idle.logs,
    worker,
    queueAge,
    isObserved,
    onChange,
  });
  return {
    alarms: idleAlarms,
    pass: async (minutes: number, perMinute: () => void = () => undefined) => {
      for (let passed = 0; passed < minutes; passed++) {
        perMinute();
        idleClock.moveBy(minute);
        await settle();
      }
    },
    end: () => {
      idleAlarms.stop();
      idle.release();
    },
    now: () => idleClock.now(),
  };
}

test('a schedule or a queue that does not call its worker, as one that was disabled: ResolveSendingStuck, then those of queues', async () => {
  let age = 0;
  const idle = idleMachine(() => age);
  await idle.pass(14);
  expect(changes).toEqual([]);
  await idle.pass(26);
  expect(changes).toEqual(['ResolveSendingStuck ALARM']);
  age = 16 * 60;
  await idle.pass(2);
  expect(changes.slice(1).sort()).toEqual(['ReceiveTextsStuck ALARM', 'SendWebhooksStuck ALARM']);
  idle.end();
});

test('a sweeper that does not run, or leaves a dead letter: SweepWebhooksStuck, SweepWebhooksDeadLetters', async () => {
  const idle = idleMachine(undefined, (name) => !isNotOfSweeper(name));
  await idle.pass(2);
  expect(changes).toEqual([]);
  await idle.pass(4);
  expect(changes).toEqual(['SweepWebhooksStuck ALARM']);
  idle.alarms.measure('SweepWebhooksDeadLetters', 1);
  await idle.pass(2);
  expect(changes.slice(1)).toEqual(['SweepWebhooksDeadLetters ALARM']);
  idle.end();
});

test('a stream whose records wait for 15 minutes: DispatchWebhooksStuck', async () => {
  const idle = idleMachine(undefined, (name) => name.startsWith('DispatchWebhooks'));
  idle.alarms.measure('DispatchWebhooksStuck', 15 * minute);
  await idle.pass(2);
  expect(changes).toEqual([]);
  idle.alarms.measure('DispatchWebhooksStuck', 15 * minute + 1);
  await idle.pass(2);
  expect(changes).toEqual(['DispatchWebhooksStuck ALARM']);
  idle.end();
});

test('clients that send nothing for so many hours as are set: NoTraffic, until a request is served', async () => {
  expect(await listLeads()).toBe(200);
  expect(await withoutGrant()).toBe(401);
  const idle = idleMachine();
  const run = () => {
    idle.alarms.onRun({ failed: undefined });
  };
  const lines = logged('api');
  const log = (status: number) => {
    const line = lines.findLast((one) => one.includes(`"status":${status},`))!;
    idle.alarms.onLogLine('api', line.replace(/"Timestamp":\d+/, `"Timestamp":${idle.now()}`));
  };
  log(200);
  await idle.pass(hoursWithoutTraffic * 60 - 10, run);
  expect(changes).toEqual([]);
  await idle.pass(12, run);
  expect(changes).toEqual(['NoTraffic ALARM']);
  log(401);
  await idle.pass(2, run);
  expect(changes).toHaveLength(1);
  log(200);
  await idle.pass(2, run);
  expect(changes).toEqual(['NoTraffic ALARM', 'NoTraffic OK']);
  idle.end();
});

test('each alarm is raised by a fault here', () => {
  expect(alarms.names.filter((name) => !raised.has(name))).toEqual([]);
});
