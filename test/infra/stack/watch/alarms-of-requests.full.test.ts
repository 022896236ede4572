import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Refusal } from '../../../../infra/local/proxies/engine-proxy.ts';
import { stageSettings } from '../../../../infra/stack/stages.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { FaultyMachine, hoursWithoutTraffic, second } from './faulty-machine.ts';

/** Each fault of requests moves one alarm, except the pairs that alarms.ts names. */

const machine = new FaultyMachine();
await machine.start();
const sendSms = machine.breakable('POST /v1/sms:');
const getLead = machine.breakable('GET /v1/leads/{leadId}:');
const authorizer = machine.breakable('Maps a token');
afterAll(() => machine.close());
beforeEach(() => machine.rest());

/** Runs a request so many times, one after the other. */
const times = async (count: number, one: () => Promise<number>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let at = 0; at < count; at++) statuses.push(await one());
  return statuses;
};

/** Writes something that is no lead, so that LeadsFail does not start. */
const newCompany = (as = machine.ours) => machine.send('POST', '/v1/companies', { name: 'Harbour' }, as);
const listLeads = () => machine.listLeads();

const leadIds = new Map<string, string>();
/** Sends an SMS to a lead with this number. */
async function sendText(phone: string): Promise<number> {
  const { userId } = machine.ours;
  const { ledger } = machine.ours.openLedger();
  const leadId = leadIds.get(phone) ?? (await createLead(ledger, { firstName: 'Ann', phone })).id;
  leadIds.set(phone, leadId);
  return machine.send('POST', '/v1/sms', { userId, leadId, message: 'We come at 3' });
}

const throttled: Refusal = { name: 'ThrottlingException', message: 'Rate exceeded' };
const broken: Refusal = { name: 'ValidationException', message: 'Broken' };
const denied: Refusal = { name: 'AccessDeniedException', message: 'User: a is not authorized to perform: b' };

/** Lets DynamoDB refuse the calls for an organization. */
const refuse = (refusal: Refusal) => {
  machine.onCall = (body) => (body.includes(machine.ours.code) ? refusal : undefined);
};

test('without a fault no alarm changes, not even at the start', async () => {
  expect(await machine.newLead()).toBe(201);
  await machine.pass(20);
  expect(machine.changes).toEqual([]);
});

test('a provider that cannot be reached: TextsFail', async () => {
  sendSms.breakIt('does not find its provider');
  expect(await times(3, () => sendText('+61491571001'))).toEqual([502, 502, 502]);
  await machine.expectRaised('TextsFail');
  // An environment that crashes ends: one failed request is no alarm.
  sendSms.breakIt('crashes');
  expect(await sendText('+61491571002')).toBe(500);
  sendSms.mend();
  expect(await sendText('+61491571003')).toBe(201);
  await machine.expectEnd(61);
});

test.each([
  ['that refuses', '+61491570006'],
  ['that gives no answer', '+61491570313'],
])('a provider %s: TextsFail', async (_, phone) => {
  expect(await times(2, () => sendText(phone))).toEqual([502, 502]);
  await machine.pass(1);
  expect(machine.changes).toEqual([]);
  expect(await sendText(phone)).toBe(502);
  await machine.expectRaised('TextsFail');
  await machine.expectEnd(61);
});

test('a number that has opted out is no fault', async () => {
  expect(new Set(await times(5, () => sendText('+61491570110')))).toEqual(new Set([400]));
  await machine.pass(2);
  expect(machine.changes).toEqual([]);
});

/**
 * Throttles calls with `about` in the body. Requests from now on have no time for another try, but time to
 * answer. Call `passRun` before: a failed run of the worker would be tried again a minute later.
 */
function throttle(about = ''): void {
  const late = machine.clock.now() + 13.7 * second;
  machine.onCall = (body) => {
    if (!body.includes(about)) return undefined;
    machine.clock.moveBy(Math.max(0, late - machine.clock.now()));
    return throttled;
  };
}

test('a table that is throttled for one organization: RefusedWrites, and other organizations are not affected', async () => {
  await machine.passRun();
  const inVain = () => {
    throttle(machine.ours.code);
    return newCompany();
  };
  expect(new Set(await times(5, inVain))).toEqual(new Set([503]));
  machine.onCall = () => undefined;
  expect(await machine.newLead(machine.theirs)).toBe(201);
  await machine.expectAlarm('RefusedWrites');
});

test('a table that is throttled completely, while the tokens are remembered: RefusedWrites', async () => {
  await machine.passRun();
  // This lets the authorizer remember the token, and no function has to start.
  expect(await Promise.all([newCompany(machine.theirs), newCompany(machine.theirs)])).toEqual([201, 201]);
  expect(await newCompany()).toBe(201);
  // Two at once: more would share this computer's cores, and could be out of time.
  for (let at = 0; at < 3; at++) {
    throttle();
    expect(await Promise.all([newCompany(), newCompany()])).toEqual([503, 503]);
  }
  await machine.expectAlarm('RefusedWrites');
});

test('a table that is throttled completely, while no token is remembered: ServerErrors', async () => {
  await machine.passRun();
  // By then the authorizer has forgotten its answers.
  await machine.pass(2);
  throttle();
  expect(new Set(await Promise.all(Array.from({ length: 6 }, () => newCompany())))).toEqual(new Set([500]));
  await machine.expectAlarm('ServerErrors');
});

test('batches whose every item fails, answered 200: ServerErrors', async () => {
  refuse(denied);
  const batch = { updates: [{ id: 1, name: 'Tap' }] };
  const answers = await times(20, () => machine.send('PATCH', '/v1/products/batch', batch));
  expect(new Set(answers)).toEqual(new Set([200]));
  await machine.expectRaised('ServerErrors');
  const line: unknown = JSON.parse(machine.logged('api').at(-1)!);
  expect(line).toMatchObject({ level: 'error', status: 200, hiddenErrors: 1 });
  await machine.expectEnd(20);
});

test('outcomes of texts that cannot be stored, answered 201: ServerErrors', async () => {
  machine.onCall = (body) => (body.includes('SMS_ACCEPTED') ? denied : undefined);
  expect(await times(3, () => sendText('+61491571004'))).toEqual([201, 201, 201]);
  await machine.expectAlarm('ServerErrors');
});

test('reads that fail among many requests that no function serves: ServerErrors', async () => {
  const noToken = { ...machine.ours, token: 'sk_live_x' };
  expect(new Set(await times(200, () => machine.send('GET', '/v1/leads', undefined, noToken)))).toEqual(
    new Set([401]),
  );
  expect(new Set(await times(200, () => machine.send('GET', '/wp-admin')))).toEqual(new Set([404]));
  refuse(broken);
  expect(await times(3, listLeads)).toEqual([500, 500, 500]);
  await machine.expectAlarm('ServerErrors');
});

test('a function that answers 500: ServerErrors', async () => {
  refuse(broken);
  expect(await times(2, listLeads)).toEqual([500, 500]);
  await machine.pass(1);
  expect(machine.changes).toEqual([]);
  expect(await listLeads()).toBe(500);
  await machine.expectAlarm('ServerErrors');
});

test('an authorizer that throws: ServerErrors', async () => {
  // By then the authorizer has forgotten its answers.
  await machine.pass(2);
  authorizer.breakIt('throws');
  expect(await times(3, listLeads)).toEqual([500, 500, 500]);
  authorizer.mend();
  expect(await machine.listLeads()).toBe(200);
  await machine.expectAlarm('ServerErrors');
});

test.each(['throws', 'crashes'] as const)('a function that %s: ServerErrors', async (how) => {
  getLead.breakIt(how);
  expect(await times(3, () => machine.send('GET', '/v1/leads/lead_0'))).toEqual([500, 500, 500]);
  await machine.expectRaised('ServerErrors');
  getLead.mend();
  expect(await machine.send('GET', '/v1/leads/lead_0')).toBe(404);
  // The function logs nothing: the access log and Lambda do.
  const access = machine.logged('access').filter((line) => line.includes('"status":"500"'));
  const failed = JSON.parse(access.at(-1)!) as Record<string, string>;
  expect(failed).toMatchObject({
    route: '/v1/leads/{leadId}',
    organization: machine.ours.code,
    functionStatus: '200',
  });
  const { functionRequestId = '' } = failed;
  expect(machine.logged('api').find((line) => line.includes(functionRequestId))).toContain(
    how === 'throws' ? '"Broken"' : 'The function ended its process',
  );
  await machine.expectEnd(20);
});

/** Lets requests be answered in three periods of the alarms. Each period begins on a full minute. */
async function inThreePeriods(answers: () => Promise<void>): Promise<void> {
  await machine.passToFullMinute();
  for (let period = 0; period < 3; period++) {
    expect(machine.changes).toEqual([]);
    await answers();
    await machine.pass(5);
  }
}

const withoutGrant = () =>
  machine.send('GET', '/v1/leads', undefined, { ...machine.ours, token: 'sk_live_x' });

test('tokens that are refused for a quarter of an hour while pages are read: LockedOut, and not if a ninth of them is served', async () => {
  await inThreePeriods(async () => {
    await times(48, withoutGrant);
    expect(new Set(await times(6, listLeads))).toEqual(new Set([200]));
  });
  expect(machine.changes).toEqual([]);
  await inThreePeriods(async () => {
    expect(new Set(await times(20, withoutGrant))).toEqual(new Set([401]));
    expect(new Set(await times(5, () => machine.send('GET', '/')))).toEqual(new Set([200]));
  });
  expect(machine.changes).toEqual(['LockedOut ALARM']);
  await machine.expectEnd(20);
});

test('errors of a function while the access log receives no lines: UnloggedErrors', async () => {
  machine.hasAccessLog = false;
  refuse(broken);
  await inThreePeriods(async () => {
    expect(await times(3, listLeads)).toEqual([500, 500, 500]);
  });
  expect(machine.changes).toEqual(['UnloggedErrors ALARM']);
  machine.onCall = () => undefined;
  machine.hasAccessLog = true;
  await machine.expectEnd(20);
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
  machine.alarms.measure(alarm, value - 1);
  await machine.pass(6);
  expect(machine.changes).toEqual([]);
  machine.alarms.measure(alarm, value);
  await machine.expectAlarm(alarm);
});

test.each([
  ['answers that are', () => machine.ours.code],
  ['an authorizer that is', () => 'TOKEN#'],
])('%s slow for a quarter of an hour: SlowAnswers', async (_, isSlow) => {
  // Begins on a full minute, so that each period of the alarm has one timeout, though each takes 4 s longer.
  await machine.passToFullMinute();
  for (let period = 0; period < 3; period++) {
    expect(machine.changes).toEqual([]);
    machine.onCall = (body) => {
      if (body.includes(isSlow())) machine.clock.moveBy(4 * second);
      return undefined;
    };
    expect(await machine.listLeads()).toBe(200);
    machine.onCall = () => undefined;
    // A run that begins in between would time out a minute later.
    await machine.settle();
    await machine.pass(5);
  }
  expect(machine.changes).toEqual(['SlowAnswers ALARM']);
  expect(await machine.listLeads()).toBe(200);
  await machine.expectEnd(20);
});

test('clients that send nothing for so many hours as are set: NoTraffic, until a request is served', async () => {
  expect(await machine.listLeads()).toBe(200);
  expect(await withoutGrant()).toBe(401);
  const idle = machine.idle();
  const run = () => {
    idle.alarms.onRun({ failed: undefined });
  };
  const lines = machine.logged('api');
  const log = (status: number) => {
    const line = lines.findLast((one) => one.includes(`"status":${status},`))!;
    idle.alarms.onLogLine('api', line.replace(/"Timestamp":\d+/, `"Timestamp":${idle.now()}`));
  };
  log(200);
  await idle.pass(hoursWithoutTraffic * 60 - 10, run);
  expect(machine.changes).toEqual([]);
  await idle.pass(12, run);
  expect(machine.changes).toEqual(['NoTraffic ALARM']);
  log(401);
  await idle.pass(2, run);
  expect(machine.changes).toHaveLength(1);
  log(200);
  await idle.pass(2, run);
  expect(machine.changes).toEqual(['NoTraffic ALARM', 'NoTraffic OK']);
  idle.end();
});

test('each alarm of requests is raised by a fault here', () => {
  expect(machine.notRaised(false)).toEqual([]);
});
