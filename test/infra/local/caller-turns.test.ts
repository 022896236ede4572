import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallerTurns } from '../../../infra/local/caller-turns.ts';

let now: number;
/** What has begun and is not done, in the order in which it began. */
let running: string[];
let finish: Map<string, () => void>;
/** How often each caller has asked. */
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

/** Lets a caller ask for so much at once: `A1`, `A2` and so on. */
function ask(turns: CallerTurns, caller: string, times: number): void {
  for (let time = 0; time < times; time++) {
    const number = (asked.get(caller) ?? 0) + 1;
    asked.set(caller, number);
    const name = `${caller}${number}`;
    const answer = turns.take(caller, async () => {
      running.push(name);
      await new Promise<void>((resolve) => finish.set(name, resolve));
      running = running.filter((one) => one !== name);
      return name;
    });
    answers.push(answer);
  }
}

/** Resolves once everything that can begin has begun. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function done(...names: string[]): Promise<void> {
  for (const name of names) finish.get(name)?.();
  await settled();
}

const newTurns = (share: number) => new CallerTurns(share, () => now);

test('a caller that is alone runs everything at once', async () => {
  const turns = newTurns(1);
  ask(turns, 'A', 20);
  await settled();
  expect(running).toHaveLength(20);
  await done(...running);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, at) => `A${at + 1}`));
});

test('beside others who has nothing running begins at once, and all else waits while as many run as may', async () => {
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

test('a burst that began alone gives way to the first who asks beside it, who need not wait', async () => {
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

test('bursts take turns, and who asks more does not lose its own', async () => {
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

test('what runs for long waits for something, so nobody waits for it', async () => {
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

test('ten seconds after the others have gone a caller is alone again', async () => {
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

test('who is busy counts, and then for ten seconds after its answer', async () => {
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

test('who waits is not forgotten, however long it takes', async () => {
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

test('what fails gives its turn on, and its error to who asked', async () => {
  const turns = newTurns(1);
  ask(turns, 'B', 1);
  await settled();
  await done('B1');
  const failed = turns.take('A', () => Promise.reject(new Error('Boom')));
  const next = turns.take('A', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('Boom');
  expect(await next).toBe('next');
});
