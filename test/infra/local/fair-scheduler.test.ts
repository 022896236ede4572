import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as v from 'valibot';
import { FairScheduler } from '../../../infra/local/fair-scheduler.ts';
import type { Outcome } from '../../../infra/local/function-messages.ts';
import { Gateway } from '../../../infra/local/gateway.ts';
import { tokenAuthorizer as authorizer } from '../../support/token-authorizer.ts';

let now: number;
/** Invocations that run, in the order in which they began. */
let running: string[];
let finish: Map<string, () => void>;
/** Number of invocations that each caller asked for. */
let asked: Map<string, number>;
let answers: Promise<string>[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  now = 0;
  asked = new Map();
  answers = [];
  running = [];
  finish = new Map();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Lets a caller ask for several invocations at once: `A1`, `A2` and so on. */
function ask(turns: FairScheduler, caller: string, times: number): void {
  for (let time = 0; time < times; time++) {
    const number = (asked.get(caller) ?? 0) + 1;
    asked.set(caller, number);
    const name = `${caller}${number}`;
    const answer = turns.run(caller, async () => {
      running.push(name);
      await new Promise<void>((resolve) => finish.set(name, resolve));
      running = running.filter((one) => one !== name);
      return name;
    });
    answers.push(answer);
  }
}

/** Resolves once everything that may begin has begun. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function done(...names: string[]): Promise<void> {
  for (const name of names) finish.get(name)?.();
  await settled();
}

const newTurns = (share: number) => new FairScheduler(share, () => now);

test('a caller that is alone runs everything at once', async () => {
  const turns = newTurns(1);
  ask(turns, 'A', 20);
  await settled();
  expect(running).toHaveLength(20);
  await done(...running);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, at) => `A${at + 1}`));
});

test('among others, a caller with nothing running begins at once, and other invocations wait for a free slot', async () => {
  const turns = newTurns(2);
  ask(turns, 'B', 1);
  ask(turns, 'A', 4);
  await settled();
  expect(running).toEqual(['B1', 'A1']);
  await done('A1');
  expect(running).toEqual(['B1', 'A2']);
  await done('B1');
  expect(running).toEqual(['A2', 'A3']);
  ask(turns, 'B', 1);
  await settled();
  expect(running).toEqual(['A2', 'A3', 'B2']);
  await done('A2');
  expect(running).toEqual(['A3', 'B2']);
  await done('A3');
  expect(running).toEqual(['B2', 'A4']);
});

test('a burst that began alone does not delay the first other caller', async () => {
  const turns = newTurns(1);
  ask(turns, 'A', 3);
  await settled();
  ask(turns, 'B', 1);
  await settled();
  expect(running).toEqual(['A1', 'A2', 'A3', 'B1']);
  ask(turns, 'A', 1);
  await done('B1', 'A1', 'A2');
  expect(running).toEqual(['A3']);
  await done('A3');
  expect(running).toEqual(['A4']);
});

test('bursts take turns, and a caller that asks more keeps its turn', async () => {
  const turns = newTurns(1);
  ask(turns, 'C', 1);
  await settled();
  await done('C1');
  ask(turns, 'A', 2);
  ask(turns, 'B', 3);
  await settled();
  expect(running).toEqual(['A1', 'B1']);
  ask(turns, 'A', 1);
  await done('B1', 'A1');
  const order: string[] = [];
  while (running.length > 0) {
    order.push(...running);
    await done(...running);
  }
  expect(order).toEqual(['A2', 'B2', 'A3', 'B3']);
});

test('a long invocation waits for something itself, so no caller waits for it', async () => {
  const turns = newTurns(1);
  ask(turns, 'B', 1);
  ask(turns, 'A', 3);
  await settled();
  vi.advanceTimersByTime(199);
  await settled();
  expect(running).toEqual(['B1', 'A1']);
  vi.advanceTimersByTime(1);
  await settled();
  expect(running).toEqual(['B1', 'A1', 'A2']);
  await done('B1', 'A1');
  expect(running).toEqual(['A2']);
  await done('A2');
  expect(running).toEqual(['A3']);
});

test("a caller is alone again ten seconds after the others' last answers", async () => {
  const turns = newTurns(1);
  ask(turns, 'B', 1);
  await settled();
  await done('B1');
  ask(turns, 'A', 3);
  await settled();
  expect(running).toEqual(['A1']);
  now = 9_999;
  await done('A1');
  expect(running).toEqual(['A2']);
  now = 10_000;
  ask(turns, 'A', 3);
  await settled();
  expect(running).toEqual(['A2', 'A3', 'A4', 'A5', 'A6']);
});

test('a busy caller counts, and for ten seconds after its last answer', async () => {
  const turns = newTurns(1);
  ask(turns, 'B', 1);
  await settled();
  now = 60_000;
  ask(turns, 'A', 3);
  await settled();
  expect(running).toEqual(['B1', 'A1']);
  await done('B1');
  now = 69_999;
  await done('A1');
  ask(turns, 'A', 1);
  await settled();
  expect(running).toEqual(['A2']);
});

test('a waiting caller is not forgotten, however long it waits', async () => {
  const turns = newTurns(1);
  ask(turns, 'B', 1);
  ask(turns, 'A', 2);
  await settled();
  await done('A1');
  expect(running).toEqual(['B1']);
  now = 60_000;
  ask(turns, 'C', 1);
  await settled();
  await done('B1', 'C1');
  expect(running).toEqual(['A2']);
});

test('a failed invocation frees its slot, and its caller gets the error', async () => {
  const turns = newTurns(1);
  ask(turns, 'B', 1);
  await settled();
  await done('B1');
  const failed = turns.run('A', () => Promise.reject(new Error('Boom')));
  const next = turns.run('A', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('Boom');
  expect(await next).toBe('next');
});

test('a caller that does not linger is forgotten with its answer, unless it counted before', async () => {
  const turns = newTurns(1);
  const passing = { lingers: false };
  await turns.run('B', () => Promise.resolve(), passing);
  ask(turns, 'A', 2);
  await settled();
  expect(running).toEqual(['A1', 'A2']);
  ask(turns, 'C', 1);
  await settled();
  await done('A1', 'A2', 'C1');
  await turns.run('C', () => Promise.resolve(), passing);
  now = 9_999;
  ask(turns, 'A', 2);
  await settled();
  expect(running).toEqual(['A3']);
});

test('scheduling a request takes the same time with many callers', async () => {
  const turns = newTurns(1);
  const resting = Array.from({ length: 30_000 }, (_, at) => turns.run(`R${at}`, () => Promise.resolve()));
  await Promise.all(resting);
  ask(turns, 'B', 1);
  for (let at = 0; at < 30_000; at++) ask(turns, `A${at}-`, 2);
  await settled();
  expect(running).toHaveLength(30_001);
});

const allows = {
  principalId: 'p',
  policyDocument: { Statement: [{ Effect: 'Allow', Resource: '*' }] },
};
const answered = (result: unknown): Outcome => ({ id: '1', result: JSON.stringify(result), output: '' });

/**
 * A gateway that runs one invocation at a time while others ask, too. `begun` lists the invocations and their
 * callers.
 */
function newGateway(outcomeOf: (called: string) => Promise<Outcome>) {
  const begun: string[] = [];
  const api = {
    routes: [
      { method: 'GET', path: '/things', functionName: 'List', authorizer },
      { method: 'GET', path: '/open/{id}', functionName: 'Open', authorizer: undefined },
    ],
    gatewayResponses: new Map<string, never>(),
    minimumCompressionSize: undefined,
    throttling: undefined,
    webAcl: undefined,
  };
  const Event = v.looseObject({
    path: v.optional(v.string()),
    headers: v.optional(v.looseObject({ Authorization: v.optional(v.string()) })),
  });
  const gateway = new Gateway(
    api,
    (name, event) => {
      const { headers, path } = v.parse(Event, event);
      const called = `${name} ${headers?.Authorization ?? path}`;
      begun.push(called);
      return outcomeOf(called);
    },
    () => now,
    () => undefined,
    newTurns(1),
  );
  const get = (target: string, token?: string, sourceIp = '127.0.0.1') => {
    const headers: [string, string][] = token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
    return gateway.answer({ method: 'GET', target, headers, body: Buffer.alloc(0), sourceIp });
  };
  return { get, begun };
}

test('made-up tokens share the turn of their address, and a valid token has its own', async () => {
  const { get, begun } = newGateway((called) => {
    if (called === 'Authorizer Bearer real') return Promise.resolve(answered(allows));
    if (called === 'List Bearer real') return Promise.resolve(answered({ statusCode: 200, body: '' }));
    return new Promise(() => undefined);
  });
  expect((await get('/things', 'real')).status).toBe(200);
  for (let at = 0; at < 50; at++) void get('/things', `made-up-${at}`);
  await settled();
  expect(begun.splice(0)).toEqual([
    'Authorizer Bearer real',
    'List Bearer real',
    'Authorizer Bearer made-up-0',
  ]);
  // It holds also after the grant's cache time.
  now = 61_000;
  expect((await get('/things', 'real')).status).toBe(200);
  const all = Array.from({ length: 20 }, () => get('/things', 'real'));
  for (let time = 0; time < 41; time++) {
    vi.advanceTimersByTime(200);
    await settled();
  }
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(20).fill(200));
});

test("the authorizer call for a new token does not use up the token's turn", async () => {
  const { get, begun } = newGateway((called) =>
    called.startsWith('Authorizer')
      ? Promise.resolve(answered(allows))
      : new Promise<Outcome>(() => undefined),
  );
  for (let time = 0; time < 3; time++) {
    void get('/things', 'new');
    await settled();
  }
  expect(begun.filter((called) => called === 'List Bearer new')).toHaveLength(3);
});

test('the time limit of a waiting request begins with its turn', async () => {
  const { get } = newGateway((called) =>
    called === 'Open /open/last'
      ? Promise.resolve(answered({ statusCode: 200, body: '' }))
      : new Promise(() => undefined),
  );
  const statuses: Record<string, number> = {};
  const note = async (id: string, sourceIp: string) => {
    statuses[id] = (await get(`/open/${id}`, undefined, sourceIp)).status;
  };
  void note('other', '127.0.0.2');
  for (let at = 0; at < 150; at++) void note(String(at), '127.0.0.1');
  void note('last', '127.0.0.1');
  await settled();
  for (let passed = 0; passed < 29_000; passed += 200) {
    vi.advanceTimersByTime(200);
    await settled();
  }
  expect(statuses).toEqual({ other: 504, 0: 504 });
  for (let passed = 0; passed < 2_000; passed += 200) {
    vi.advanceTimersByTime(200);
    await settled();
  }
  expect(statuses['last']).toBe(200);
});
