import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/seeded-random.ts';
import { parseHead, type Head } from '../../../shared/ledger/head.ts';
import { Turn } from '../../../shared/ledger/turn.ts';

const headOf = (version: number, queue?: number): Head => ({
  version,
  country: 'AU',
  collections: {},
  ...(queue !== undefined && { queue }),
});

/** A writer's turn, and how long it has slept each time. */
function newTurn({ random = 1, timeLeft = 1e6 } = {}) {
  const waits: number[] = [];
  const sleep = (milliseconds: number) => Promise.resolve(void waits.push(milliseconds));
  return { turn: new Turn({ now: () => 0, random: () => random, sleep }, timeLeft), waits };
}

describe('a turn', () => {
  test('begins with a wait, and then has one more try at once after each', async () => {
    const { turn, waits } = newTurn();
    const outcomes = [];
    for (const version of [5, 6, 7, 8]) outcomes.push(await turn.lose(headOf(version), 10));
    expect(outcomes).toEqual(['later', 'at once', 'later', 'at once']);
    expect(waits).toHaveLength(2);
  });

  test.each([
    { about: 'nobody has told of a queue', queue: undefined, random: 0.5, wait: 92 },
    { about: 'the queue is long', queue: 100, random: 0.5, wait: 1150 },
    { about: 'the draw is high', queue: 100, random: 1, wait: 1400 },
  ])('waits in proportion to the queue and the time of a try: $about', async ({ queue, random, wait }) => {
    const { turn, waits } = newTurn({ random });
    await turn.lose(headOf(5, queue), 10);
    expect(waits).toEqual([wait]);
  });

  test('waits the less, the more writes it has let pass', async () => {
    const { turn, waits } = newTurn({ random: 0.5 });
    for (const version of [5, 6, 65, 66, 205]) await turn.lose(headOf(version, 100), 10);
    expect(waits).toEqual([1150, 610, 250]);
  });

  test('assumes more of a queue each time that it has to wait again', async () => {
    const { turn, waits } = newTurn();
    for (const version of [5, 104, 105, 204, 205]) await turn.lose(headOf(version), 10);
    expect(waits).toEqual([112, 60, 90]);
  });

  test('spreads over the time that is left where that is short', async () => {
    for (const random of [0.5, 1]) {
      const { turn, waits } = newTurn({ random, timeLeft: 400 });
      await turn.lose(headOf(5, 100), 10);
      expect(waits).toEqual([300 * random]);
    }
  });

  test('tells the next ones how long it took: the mean of recent ones', async () => {
    const { turn } = newTurn();
    expect(turn.passOn(headOf(5))).toEqual(headOf(5));
    await turn.lose(headOf(5), 10);
    expect(turn.passOn(headOf(45, 24))).toEqual(headOf(45, 26));
  });

  test('that lost nothing leaves less and less of a queue, and soon none', () => {
    let head = headOf(5, 300);
    let writes = 0;
    for (; head.queue !== undefined && writes < 50; writes++) head = newTurn().turn.passOn(head);
    expect(writes).toBeLessThan(50);
    expect(Object.keys(head)).not.toContain('queue');
  });
});

/** Time that passes only when all there is to do is wait. */
class VirtualTime {
  now = 0;
  #wakings: { at: number; wake: () => void }[] = [];

  sleep = (milliseconds: number): Promise<void> =>
    new Promise((wake) => this.#wakings.push({ at: this.now + milliseconds, wake }));

  async run(work: Promise<unknown>): Promise<void> {
    const state = { done: false };
    void work.finally(() => (state.done = true));
    for (;;) {
      await new Promise(setImmediate);
      if (state.done) return;
      if (this.#wakings.length === 0) throw new Error('Nothing is left to wait for');
      const at = Math.min(...this.#wakings.map((waking) => waking.at));
      this.now = at;
      const due = this.#wakings.filter((waking) => waking.at === at);
      this.#wakings = this.#wakings.filter((waking) => waking.at !== at);
      for (const { wake } of due) wake();
    }
  }
}

/**
 * Writers in functions of their own, which do as `Ledger.write` does, and a database that carries out one call after the other: a network of 5 ms, 0.3 ms
 * for a read, 1.6 ms for a transaction, whether it is stored or refused.
 */
async function simulate({ writers, seconds }: { writers: number; seconds?: number }) {
  const time = new VirtualTime();
  const { random } = seededRandom(7);
  const outside = { now: () => time.now, random, sleep: time.sleep };
  let head = headOf(1);
  let calls = 0;
  let freeAt = 0;
  const call = async <T>(milliseconds: number, carryOut: () => T): Promise<T> => {
    calls++;
    await time.sleep(2.5 + random());
    const begin = Math.max(time.now, freeAt);
    freeAt = begin + milliseconds;
    await time.sleep(begin - time.now);
    const reply = carryOut();
    await time.sleep(milliseconds + 2.5 + random());
    return reply;
  };
  const read = () => call(0.3, () => head);
  const store = (seen: Head, next: Head) =>
    call(1.6, () => {
      if (head.version !== seen.version) return false;
      head = parseHead({ ...next, version: seen.version + 1 });
      return true;
    });

  const times: number[] = [];
  let failed = 0;
  const write = async (remembered?: Head): Promise<Head | undefined> => {
    const began = time.now;
    const turn = new Turn(outside, began + 13_500);
    let seen = remembered ?? (await read());
    while (time.now < began + 13_500) {
      const tried = time.now;
      const next = turn.passOn(seen);
      if (await store(seen, next)) {
        times.push(time.now - began);
        return turn.hasLost || next.queue !== undefined ? undefined : { ...next, version: seen.version + 1 };
      }
      const winner = head;
      seen = (await turn.lose(winner, time.now - tried)) === 'at once' ? winner : await read();
    }
    failed++;
    return undefined;
  };
  const until = (seconds ?? 0) * 1000;
  await time.run(
    Promise.all(
      Array.from({ length: writers }, async () => {
        let remembered: Head | undefined;
        do remembered = await write(remembered);
        while (time.now < until);
      }),
    ),
  );
  times.sort((a, b) => a - b);
  return {
    stored: times.length,
    failed,
    perSecond: (times.length * 1000) / time.now,
    p99: times[Math.ceil(times.length * 0.99) - 1] ?? Infinity,
    callsPerWrite: calls / times.length,
  };
}

describe('writers of one organization, in simulated time', () => {
  test.each([
    { writers: 1, perSecond: 100, p99: 20, callsPerWrite: 1.1 },
    { writers: 10, perSecond: 85, p99: 400, callsPerWrite: 6 },
    { writers: 100, perSecond: 80, p99: 2800, callsPerWrite: 7 },
  ])('$writers that write again and again', async ({ writers, perSecond, p99, callsPerWrite }) => {
    const outcome = await simulate({ writers, seconds: 6 });
    expect(outcome.failed).toBe(0);
    expect(outcome.perSecond).toBeGreaterThan(perSecond);
    expect(outcome.p99).toBeLessThan(p99);
    expect(outcome.callsPerWrite).toBeLessThan(callsPerWrite);
  });

  test.each([
    { writers: 2, p99: 200, callsPerWrite: 5 },
    { writers: 100, p99: 2000, callsPerWrite: 6 },
    { writers: 300, p99: 7000, callsPerWrite: 6 },
  ])('$writers that all begin at one moment', async ({ writers, p99, callsPerWrite }) => {
    const outcome = await simulate({ writers });
    expect(outcome).toMatchObject({ stored: writers, failed: 0 });
    expect(outcome.p99).toBeLessThan(p99);
    expect(outcome.callsPerWrite).toBeLessThan(callsPerWrite);
  });
});
