import { describe, expect, test } from 'vitest';
import { storageFormat, type Head } from '../../../shared/ledger/internal/head.ts';
import { WriterQueue } from '../../../shared/ledger/internal/writer-queue.ts';

const headOf = (version: number, queue?: Head['queue']): Head => ({
  form: storageFormat,
  version,
  epoch: 'K3F2QX',
  country: 'AU',
  lists: {},
  ...(queue && { queue }),
});
const queueOf = (served: number, waiting = 4, pace = 10) => ({ served, waiting, pace });

/**
 * A queued writer with its own clock. `numbers` are the next numbers of its counter, one for each call. `waits` has
 * each sleep, in milliseconds. For each call, `maxima` has the greatest number that lets
 * the writer take another number.
 */
function newWriter({ timeLeft = 1e6, numbers = [7, 8], isFurther = false } = {}) {
  const clock = { now: 0 };
  const waits: number[] = [];
  const sleep = (milliseconds: number) => {
    waits.push(milliseconds);
    clock.now += milliseconds;
    return Promise.resolve();
  };
  const randomBytes = (size: number) => new Uint8Array(size);
  const system = { now: () => clock.now, random: () => 0.5, randomBytes, sleep };
  const left: number[] = [];
  const taken: number[] = [];
  const maxima: number[] = [];
  const writerQueue = new WriterQueue(
    { system, deadline: timeLeft, isFurther },
    {
      take: (by, max) => {
        taken.push(by);
        maxima.push(max);
        const last = numbers.shift()!;
        const isTaken = last - by <= max;
        return Promise.resolve({ isTaken, last: isTaken ? last : last - by });
      },
      giveUp: (number) => Promise.resolve(void left.push(number)),
      read: () => Promise.resolve({ taken: 9, givenUp: 0 }),
    },
  );
  /** Looks at a head, which takes 2 ms. */
  const readHead = (head: Head) => {
    writerQueue.observe(head, { milliseconds: 2 });
    return writerQueue.mayTry(head);
  };
  /** Waits in the queue of a head that it looks at first. */
  const waitFor = (head: Head) => {
    readHead(head);
    return writerQueue.wait(head);
  };
  return { writerQueue, waits, clock, readHead, waitFor, left, taken, maxima };
}

describe('a writer that meets no other', () => {
  test('tries at once, and stores no queue', () => {
    const { writerQueue, readHead } = newWriter();
    expect(readHead(headOf(5))).toBe(true);
    expect(writerQueue.isNearFront).toBe(true);
    expect(writerQueue.withQueueEstimate(headOf(6))).toEqual(headOf(6));
    expect(readHead(headOf(5, queueOf(3, 0)))).toBe(true);
    expect(writerQueue.withQueueEstimate(headOf(6, queueOf(3, 0)))).toEqual(headOf(6, queueOf(3, 0)));
  });
});

describe('a writer whose head says that others wait', () => {
  test('takes a number before it tries, and tries at once where it is next', async () => {
    const { writerQueue, readHead, waits } = newWriter();
    const head = headOf(5, queueOf(6));
    expect(readHead(head)).toBe(false);
    expect(await writerQueue.wait(head)).toBe(head);
    expect(readHead(head)).toBe(true);
    expect(waits).toEqual([]);
    // The writer did not have to wait, so it counts the mark down.
    expect(writerQueue.withQueueEstimate(head).queue).toEqual(queueOf(7, 3));
    expect(writerQueue.withQueueEstimate(headOf(5, queueOf(6, 0))).queue).toEqual(queueOf(7, 0));
  });

  test('waits longer the more writers are ahead, and marks the head as contended', async () => {
    const { writerQueue, readHead, waits } = newWriter();
    expect(readHead(headOf(1, queueOf(0, 4)))).toBe(false);
    await writerQueue.wait(headOf(1, queueOf(0, 4)));
    for (const served of [0, 3, 5]) {
      const head = headOf(served, queueOf(served));
      expect(readHead(head)).toBe(false);
      // Only the next writer reads more than the head.
      expect(writerQueue.isNearFront).toBe(served === 5);
      expect(await writerQueue.wait(head)).toBeUndefined();
    }
    // Six, three and one writers are ahead, at 10 ms each.
    expect(waits).toEqual([5 * 10 * 0.8, 2 * 10 * 0.8, 10 / 8]);
    const last = headOf(6, queueOf(6, 0));
    expect(readHead(last)).toBe(true);
    expect(writerQueue.withQueueEstimate(last).queue).toMatchObject({ served: 7, waiting: 4 });
  });

  test('reads the head less and less often while a transaction holds it for seconds', async () => {
    const { writerQueue, readHead, waitFor, waits, clock } = newWriter();
    const head = headOf(5, queueOf(5));
    await waitFor(head);
    while (clock.now < 5000)
      if (readHead(head)) await writerQueue.onConflict(head);
      else await writerQueue.wait(head);
    expect(waits.length).toBeLessThan(500);
  });

  test('tries early once the queue has stood still for six writes per writer ahead', async () => {
    const { writerQueue, readHead, waitFor, clock } = newWriter();
    const head = headOf(5, queueOf(4));
    await waitFor(head);
    clock.now = 119;
    expect(readHead(head)).toBe(false);
    clock.now = 120;
    expect(readHead(head)).toBe(true);
    expect(writerQueue.withQueueEstimate(head).queue).toMatchObject({ served: 7 });
    // The try fails, so the writer waits twice as long.
    await writerQueue.onConflict(head);
    clock.now = 120 + 239;
    expect(readHead(head)).toBe(false);
    clock.now = 120 + 240;
    expect(readHead(head)).toBe(true);
  });

  test('tries before half of its time is over, however many dead writers are ahead', async () => {
    const { writerQueue, readHead, waitFor, clock } = newWriter({ timeLeft: 10_000, numbers: [150] });
    const head = headOf(5, queueOf(0));
    await waitFor(head);
    clock.now = 4999;
    expect(readHead(head)).toBe(false);
    clock.now = 5000;
    expect(readHead(head)).toBe(true);
    expect(writerQueue.withQueueEstimate(head).queue).toMatchObject({ served: 150 });
    // The queue moves, so the writers ahead are not dead, until it has stood still for four writers' time.
    const moved = headOf(6, queueOf(1));
    expect(readHead(moved)).toBe(false);
    clock.now = 5000 + 4 * 6 * 10;
    expect(readHead(moved)).toBe(true);
  });

  test('moves a counter that is behind the head up to the head, in one call, unless another writer did', async () => {
    const { readHead, waitFor, taken, maxima } = newWriter({ numbers: [1, 100_001] });
    const head = headOf(5, queueOf(100_000));
    await waitFor(head);
    expect(taken).toEqual([1, 100_000]);
    expect(maxima[1]).toBe(100_000);
    expect(readHead(head)).toBe(true);
  });

  test('takes another number after it was passed over, however long the queue is', async () => {
    const { writerQueue, readHead, waitFor, waits, maxima } = newWriter({ numbers: [7, 12] });
    const head = headOf(5, queueOf(4));
    await waitFor(head);
    const passed = headOf(6, queueOf(9));
    expect(readHead(passed)).toBe(false);
    await writerQueue.wait(passed);
    expect(waits).toEqual([]);
    expect(maxima).toEqual([4 + 150 - 1, 9 + 1e5 - 1]);
    expect(readHead(headOf(7, queueOf(11)))).toBe(true);
    expect(writerQueue.withQueueEstimate(headOf(7, queueOf(11))).queue).toMatchObject({ served: 12 });
  });

  test('gives up at the deadline, with nothing written, and never sleeps through it', async () => {
    const { writerQueue, readHead, waits, clock } = newWriter({ timeLeft: 100 });
    const head = headOf(1, queueOf(0));
    readHead(head);
    // The writes become slower after it has taken a number.
    await writerQueue.wait(headOf(1, queueOf(0, 4, 2)));
    await writerQueue.wait(head);
    await writerQueue.wait(head);
    expect(waits).toEqual([40, 30]);
    clock.now = 95;
    await expect(writerQueue.wait(head)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('the queue is full', () => {
  test.each([
    { timeLeft: 13_500, pace: 10, room: 150 },
    { timeLeft: 2000, pace: 10, room: 50 },
    { timeLeft: 20, pace: 10, room: 1 },
    // A pace that does not fit the round trip of 2 ms counts as 12 of them, or as one.
    { timeLeft: 13_500, pace: 1e9, room: 140 },
    { timeLeft: 1000, pace: 0, room: 125 },
    // A function that has stored a write takes a number as long as its time is enough.
    { timeLeft: 13_500, pace: 10, room: 1350, isFurther: true },
  ])(
    'with $room writers, for one that has $timeLeft ms, at $pace ms each',
    async ({ timeLeft, pace, room, isFurther = false }) => {
      const { waitFor, maxima } = newWriter({ timeLeft, isFurther });
      const head = headOf(5, queueOf(6, 4, pace));
      await waitFor(head);
      expect(maxima).toEqual([6 + room - 1]);
    },
  );

  test.each([
    { what: 'fails, if the queue moves', served: 20, next: [301], outcome: 'fails' },
    { what: 'fails, if another writer joins the queue', served: 0, next: [301, 302], outcome: 'fails' },
    { what: 'waits for its turn, if there is room by then', served: 152, next: [302], outcome: 'waits' },
    { what: 'tries, if all in the queue are dead', served: 0, next: [301, 301], outcome: 'tries' },
  ])('and a writer that asks again soon $what', async ({ served, next, outcome }) => {
    const { writerQueue, readHead, waits } = newWriter({ timeLeft: 10_000, numbers: [301, ...next] });
    readHead(headOf(5, queueOf(0)));
    expect(await writerQueue.wait(headOf(5, queueOf(0)))).toBeUndefined();
    expect(waits).toEqual([4 * 10]);
    expect(writerQueue.isNearFront).toBe(false);
    const later = headOf(6, queueOf(served, 0));
    const askAgain = () => {
      expect(readHead(later)).toBe(false);
      return writerQueue.wait(later);
    };
    if (served === 0) {
      expect(await askAgain()).toBeUndefined();
      // About as long as four dead writers take.
      expect(waits).toEqual([4 * 10, 4 * 6 * 10]);
    }
    if (outcome === 'fails') await expect(askAgain()).rejects.toMatchObject({ kind: 'unavailable' });
    else expect(await askAgain()).toBe(later);
    expect(readHead(later)).toBe(outcome === 'tries');
  });
});

describe('a writer that is next and stores nothing', () => {
  test('gives up its number, so that the next one can try', async () => {
    const { writerQueue, readHead, waitFor, left } = newWriter();
    const head = headOf(5, queueOf(6));
    await waitFor(head);
    readHead(head);
    await writerQueue.giveUp();
    expect(left).toEqual([7]);
  });

  test('gives up nothing if it has no number, was not next, or has stored its write', async () => {
    const [unnumbered, waiting, stored] = [newWriter(), newWriter(), newWriter()];
    unnumbered.readHead(headOf(5));
    await waiting.waitFor(headOf(5, queueOf(3)));
    waiting.readHead(headOf(5, queueOf(3)));
    await stored.waitFor(headOf(5, queueOf(6)));
    stored.readHead(headOf(5, queueOf(6)));
    stored.writerQueue.onStored();
    for (const { writerQueue, left } of [unnumbered, waiting, stored]) {
      await writerQueue.giveUp();
      expect(left).toEqual([]);
    }
  });

  test('is passed over once the queue stands still', async () => {
    const { writerQueue, readHead, waitFor, clock } = newWriter();
    const head = headOf(5, queueOf(4));
    await waitFor(head);
    expect(writerQueue.isInDoubt).toBe(false);
    clock.now = 13;
    readHead(head);
    expect(writerQueue.isInDoubt).toBe(true);
    writerQueue.observe(head, { givenUp: 6 });
    expect(writerQueue.mayTry(head)).toBe(true);
    expect(writerQueue.withQueueEstimate(head).queue).toMatchObject({ served: 7 });
  });
});

describe('a writer that has read the counter', () => {
  test.each([
    { served: 8, joins: true },
    { served: 9, joins: false },
  ])('joins a queue of which the head does not tell: $joins', async ({ served, joins }) => {
    const { writerQueue } = newWriter();
    const head = headOf(5, queueOf(served, 0));
    await writerQueue.look(Promise.resolve({ head }), { readsCounter: true });
    expect(writerQueue.mayTry(head)).toBe(!joins);
  });
});

describe('a writer that was refused', () => {
  test('takes one number, and tries at once where it is next', async () => {
    const { writerQueue, readHead } = newWriter();
    readHead(headOf(5));
    await writerQueue.onMoved(headOf(6, queueOf(6, 0)));
    await writerQueue.onMoved(headOf(6, queueOf(6, 0)));
    expect(readHead(headOf(6, queueOf(6, 0)))).toBe(true);
    expect(writerQueue.withQueueEstimate(headOf(6, queueOf(6, 0))).queue).toMatchObject({
      served: 7,
      waiting: 0,
    });
  });

  test('because another transaction held the head, waits until that one ends', async () => {
    const { writerQueue, readHead, clock } = newWriter();
    const head = headOf(5, queueOf(6, 0));
    readHead(head);
    await writerQueue.onConflict(head);
    expect(readHead(head)).toBe(false);
    expect(readHead(headOf(6, queueOf(6, 0)))).toBe(true);
    clock.now = 10;
    // The other transaction may have failed.
    expect(readHead(head)).toBe(true);
    expect(writerQueue.withQueueEstimate(head).queue).toMatchObject({ served: 7, waiting: 4 });
  });
});

describe('the pace', () => {
  test('is measured by waiting writers, and a stall hardly changes it', async () => {
    const measuredBy = async (milliseconds: number, served: number) => {
      const { writerQueue, readHead, waitFor, clock } = newWriter();
      await waitFor(headOf(1, queueOf(0)));
      clock.now = milliseconds;
      readHead(headOf(2, queueOf(served)));
      return writerQueue.withQueueEstimate(headOf(3, queueOf(6))).queue?.pace;
    };
    expect(await measuredBy(36, 4)).toBe(9.8);
    expect(await measuredBy(1000, 1)).toBe(10.6);
    expect(await measuredBy(1, 5)).toBe(8.8);
  });

  test('is clamped if it does not fit the round trip', async () => {
    const slept = async (queue?: Head['queue']) => {
      const { writerQueue, readHead, waits } = newWriter();
      const head = headOf(1, queue);
      readHead(head);
      await writerQueue.onMoved(head);
      await writerQueue.wait(head);
      return waits[0];
    };
    // Two writers are ahead; the writer waits for all but the last.
    expect(await slept(queueOf(4, 4, 1e9))).toBe(2 * 12 * 0.8);
    expect(await slept(queueOf(4, 4, 0))).toBe(2 * 0.8);
    // There is no measured pace.
    expect(await slept()).toBe(5 * 2 * 1.5 * 0.8);
  });
});
