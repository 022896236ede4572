import { expect, test } from 'vitest';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { VirtualTime } from './virtual-time.ts';

test('Events run in the order of their times, and at equal times in the order of their insertion', async () => {
  const time = new VirtualTime();
  const start = time.now;
  const seen: [string, number][] = [];
  const note = (name: string) => () => seen.push([name, time.now - start]);
  time.at(5, note('late'));
  time.at(1, note('early'));
  time.at(5, note('later'));
  time.atQuietly(0.5, note('first'));
  await time.run(() => seen.length === 4);
  expect(seen).toEqual([
    ['first', 0.5],
    ['early', 1],
    ['late', 5],
    ['later', 5],
  ]);
});

test('Code that awaits an event runs as far as it can before the next event', async () => {
  const time = new VirtualTime();
  const seen: string[] = [];
  const work = async () => {
    await time.sleep(1);
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    seen.push('worker');
    await time.sleep(0);
    seen.push('worker again');
  };
  time.at(1, () => seen.push('event before'));
  const done = work();
  time.at(1, () => seen.push('event after'));
  await time.run(done);
  expect(seen).toEqual(['event before', 'worker', 'event after', 'worker again']);
});

test('A cancelled event does not run and takes no time', async () => {
  const time = new VirtualTime();
  const start = time.now;
  let happened = false;
  const cancel = time.at(50, () => (happened = true));
  cancel();
  cancel();
  await time.run(time.sleep(10));
  expect(time.now - start).toBe(10);
  await expect(time.run(() => happened)).rejects.toThrow('no event is left');
  expect(time.now - start).toBe(10);
});

test('A run without events left fails with a message', async () => {
  const time = new VirtualTime();
  await expect(time.run(new Promise(() => undefined))).rejects.toThrow('no event is left');
});

test('An error of an event ends the run, and another run can follow', async () => {
  const time = new VirtualTime();
  time.at(1, () => {
    throw new Error('thrown');
  });
  await expect(time.run(time.sleep(5))).rejects.toThrow('thrown');
  await time.run(time.sleep(1));
});

test('A run inside a run is refused', async () => {
  const time = new VirtualTime();
  const inner = async () => {
    await time.sleep(1);
    await time.run(time.sleep(1));
  };
  await expect(time.run(inner())).rejects.toThrow('already running');
});

test('A delay that is no number is refused', () => {
  expect(() => new VirtualTime().at(NaN, () => undefined)).toThrow('A delay of NaN ms');
});

test('A hundred thousand events, most of them cancelled, run in order and quickly', async () => {
  const time = new VirtualTime();
  const { random } = seededRandom(7);
  const times: number[] = [];
  let kept = 0;
  for (let count = 0; count < 100_000; count++) {
    const cancel = time.at(random() * 1000, () => times.push(time.now));
    if (random() < 0.9) cancel();
    else kept++;
  }
  await time.run(() => times.length === kept);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(time.eventCount).toBe(kept);
});
