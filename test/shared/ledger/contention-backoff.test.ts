import { describe, expect, test } from 'vitest';
import type { Head } from '../../../shared/ledger/internal/head.ts';
import { ContentionBackoff } from '../../../shared/ledger/internal/contention-backoff.ts';
import {
  simulateWriters,
  writerLoads,
  type WriterLoad,
  type WriterOutcome,
} from '../../simulation/writers.ts';

const headOf = (version: number, queue?: Head['queue']): Head => ({
  form: 3,
  version,
  country: 'AU',
  lists: {},
  ...(queue && { queue }),
});
const queueOf = (served: number, waiting = 4, pace = 10) => ({ served, waiting, pace });

/** A writer's turn on a clock of its own, and how long it has slept each time. */
function newTurn({ timeLeft = 1e6, numbers = [7, 8] } = {}) {
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
  const turn = new ContentionBackoff(
    { system, deadline: timeLeft },
    {
      take: (by) => {
        taken.push(by);
        return Promise.resolve(numbers.shift()!);
      },
      giveUp: (number) => Promise.resolve(void left.push(number)),
      givenUp: () => Promise.resolve(0),
    },
  );
  /** Looks at a head, which takes 2 ms. */
  const look = (head: Head) => {
    turn.observe(head, { milliseconds: 2 });
    return turn.mayTry(head);
  };
  return { turn, waits, clock, look, left, taken };
}

describe('a writer that meets no other', () => {
  test('tries at once, and leaves nothing of a queue', () => {
    const { turn, look } = newTurn();
    expect(look(headOf(5))).toBe(true);
    expect(turn.isNearFront).toBe(true);
    expect(turn.withQueueEstimate(headOf(6))).toEqual(headOf(6));
    expect(look(headOf(5, queueOf(3, 0)))).toBe(true);
    expect(turn.withQueueEstimate(headOf(6, queueOf(3, 0)))).toEqual(headOf(6, queueOf(3, 0)));
  });
});

describe('a writer whose head says that others wait', () => {
  test('takes a number before it tries, and tries at once where it is next', async () => {
    const { turn, look, waits } = newTurn();
    const head = headOf(5, queueOf(6));
    expect(look(head)).toBe(false);
    expect(await turn.wait(head)).toBe(head);
    expect(look(head)).toBe(true);
    expect(waits).toEqual([]);
    // It did not have to wait, so the sign is on its way to its end.
    expect(turn.withQueueEstimate(head).queue).toEqual(queueOf(7, 3));
    expect(turn.withQueueEstimate(headOf(5, queueOf(6, 0))).queue).toEqual(queueOf(7, 0));
  });

  test('waits for those before it, the longer the more there are, and says so to the next', async () => {
    const { turn, look, waits } = newTurn();
    expect(look(headOf(1, queueOf(0, 4)))).toBe(false);
    await turn.wait(headOf(1, queueOf(0, 4)));
    for (const served of [0, 3, 5]) {
      const head = headOf(served, queueOf(served));
      expect(look(head)).toBe(false);
      // Only the next one reads more than the head.
      expect(turn.isNearFront).toBe(served === 5);
      expect(await turn.wait(head)).toBeUndefined();
    }
    // Six, three and one before it, at 10 ms each.
    expect(waits).toEqual([5 * 10 * 0.8, 2 * 10 * 0.8, 10 / 8]);
    const last = headOf(6, queueOf(6, 0));
    expect(look(last)).toBe(true);
    expect(turn.withQueueEstimate(last).queue).toMatchObject({ served: 7, waiting: 4 });
  });

  test('tries out of turn when the queue has stood still for six writes of each before it', async () => {
    const { turn, look, clock } = newTurn();
    const head = headOf(5, queueOf(4));
    look(head);
    await turn.wait(head);
    clock.now = 119;
    expect(look(head)).toBe(false);
    clock.now = 120;
    expect(look(head)).toBe(true);
    expect(turn.withQueueEstimate(head).queue).toMatchObject({ served: 7 });
    // In vain: then it waits twice as long.
    await turn.onConflict(head);
    clock.now = 120 + 239;
    expect(look(head)).toBe(false);
    clock.now = 120 + 240;
    expect(look(head)).toBe(true);
  });

  test('is not locked out by any number of dead ones: it tries before half of its time is over', async () => {
    const { turn, look, clock } = newTurn({ timeLeft: 10_000, numbers: [651] });
    const head = headOf(5, queueOf(0));
    look(head);
    await turn.wait(head);
    clock.now = 4999;
    expect(look(head)).toBe(false);
    clock.now = 5000;
    expect(look(head)).toBe(true);
    expect(turn.withQueueEstimate(head).queue).toMatchObject({ served: 651 });
  });

  test('brings a counter that is older than the head up to it, at once', async () => {
    const { turn, look, taken } = newTurn({ numbers: [1, 100_001] });
    const head = headOf(5, queueOf(100_000));
    look(head);
    await turn.wait(head);
    expect(taken).toEqual([1, 100_000]);
    expect(look(head)).toBe(true);
  });

  test('takes another number when it was passed over', async () => {
    const { turn, look, waits } = newTurn({ numbers: [7, 12] });
    const head = headOf(5, queueOf(4));
    look(head);
    await turn.wait(head);
    const passed = headOf(6, queueOf(9));
    expect(look(passed)).toBe(false);
    await turn.wait(passed);
    expect(waits).toEqual([]);
    expect(look(headOf(7, queueOf(11)))).toBe(true);
    expect(turn.withQueueEstimate(headOf(7, queueOf(11))).queue).toMatchObject({ served: 12 });
  });

  test('gives up at the deadline, with nothing written, and never sleeps through it', async () => {
    const { turn, look, waits, clock } = newTurn({ timeLeft: 100 });
    const head = headOf(1, queueOf(0));
    look(head);
    await turn.wait(head);
    await turn.wait(head);
    await turn.wait(head);
    expect(waits).toEqual([40, 30]);
    clock.now = 95;
    await expect(turn.wait(head)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a writer that has its turn and stores nothing', () => {
  test('leaves its number, so that the next one can go on', async () => {
    const { turn, look, left } = newTurn();
    const head = headOf(5, queueOf(6));
    look(head);
    await turn.wait(head);
    look(head);
    await turn.giveUp();
    expect(left).toEqual([7]);
  });

  test('leaves nothing where it has no number, where it was not its turn, and once it was stored', async () => {
    const unnumbered = newTurn();
    unnumbered.look(headOf(5));
    await unnumbered.turn.giveUp();
    const waiting = newTurn();
    waiting.look(headOf(5, queueOf(3)));
    await waiting.turn.wait(headOf(5, queueOf(3)));
    waiting.look(headOf(5, queueOf(3)));
    await waiting.turn.giveUp();
    const stored = newTurn();
    stored.look(headOf(5, queueOf(6)));
    await stored.turn.wait(headOf(5, queueOf(6)));
    stored.look(headOf(5, queueOf(6)));
    stored.turn.onStored();
    await stored.turn.giveUp();
    expect([unnumbered.left, waiting.left, stored.left]).toEqual([[], [], []]);
  });

  test('is looked for where the queue stands still, and let pass', async () => {
    const { turn, look, clock } = newTurn();
    const head = headOf(5, queueOf(4));
    look(head);
    await turn.wait(head);
    expect(turn.isInDoubt).toBe(false);
    clock.now = 13;
    look(head);
    expect(turn.isInDoubt).toBe(true);
    turn.observe(head, { givenUp: 6 });
    expect(turn.mayTry(head)).toBe(true);
    expect(turn.withQueueEstimate(head).queue).toMatchObject({ served: 7 });
  });
});

describe('a writer that was refused', () => {
  test('takes one number, and tries at once where it is next', async () => {
    const { turn, look } = newTurn();
    look(headOf(5));
    await turn.onMoved(headOf(6, queueOf(6, 0)));
    await turn.onMoved(headOf(6, queueOf(6, 0)));
    expect(look(headOf(6, queueOf(6, 0)))).toBe(true);
    expect(turn.withQueueEstimate(headOf(6, queueOf(6, 0))).queue).toMatchObject({ served: 7, waiting: 0 });
  });

  test('as another had the head in a transaction, lets that one end first', async () => {
    const { turn, look, clock } = newTurn();
    const head = headOf(5, queueOf(6, 0));
    look(head);
    await turn.onConflict(head);
    expect(look(head)).toBe(false);
    expect(look(headOf(6, queueOf(6, 0)))).toBe(true);
    clock.now = 10;
    // That one may have failed.
    expect(look(head)).toBe(true);
    expect(turn.withQueueEstimate(head).queue).toMatchObject({ served: 7, waiting: 4 });
  });
});

describe('the pace', () => {
  test('is measured by those that wait, and a stall hardly counts', async () => {
    const measuredBy = async (milliseconds: number, served: number) => {
      const { turn, look, clock } = newTurn();
      look(headOf(1, queueOf(0)));
      await turn.wait(headOf(1, queueOf(0)));
      clock.now = milliseconds;
      look(headOf(2, queueOf(served)));
      return turn.withQueueEstimate(headOf(3, queueOf(6))).queue?.pace;
    };
    expect(await measuredBy(36, 4)).toBe(9.8);
    expect(await measuredBy(1000, 1)).toBe(10.6);
    expect(await measuredBy(1, 5)).toBe(8.8);
  });

  test('is not believed where it is far from what a round trip lets expect', async () => {
    const slept = async (queue?: Head['queue']) => {
      const { turn, look, waits } = newTurn();
      const head = headOf(1, queue);
      look(head);
      await turn.onMoved(head);
      await turn.wait(head);
      return waits[0];
    };
    // Two are before it, of whom it waits for all but the last.
    expect(await slept(queueOf(4, 4, 1e9))).toBe(2 * 12 * 0.8);
    expect(await slept(queueOf(4, 4, 0))).toBe(2 * 0.8);
    // Nobody has measured it.
    expect(await slept()).toBe(5 * 2 * 1.5 * 0.8);
  });
});

/** The simulation has two-phase transactions, conflicts and late items, as the real service. */
describe('many writers of one organization, in the simulated DynamoDB', () => {
  // Long enough for what these figures settle at: `npm run bench` takes the whole time.
  const run = (load: WriterLoad, milliseconds?: number) =>
    simulateWriters({ ...load, ...(milliseconds !== undefined && { milliseconds }) });
  let alone: Promise<WriterOutcome> | undefined;
  /** Runs one writer, once: the others are compared with it. */
  const runOne = () => (alone ??= run(writerLoads.one, 5000));

  test('one after the other loses nothing, 10 and 100 at once neither: each waits its turn', async () => {
    const one = await runOne();
    expect(one).toMatchObject({ failed: 0, sent: 1, calls: 3 });
    const ten = await run(writerLoads.ten, 5000);
    expect(ten.failed).toBe(0);
    expect(ten.perSecond).toBeGreaterThanOrEqual(one.perSecond);
    expect(ten.p99).toBeLessThan(250);
    expect(ten.sent).toBeLessThan(1.2);
    const hundred = await run(writerLoads.hundred, 12_000);
    expect(hundred.failed).toBe(0);
    expect(hundred.perSecond).toBeGreaterThanOrEqual(one.perSecond);
    expect(hundred.p99).toBeLessThan(1500);
    expect(hundred.sent).toBeLessThan(1.15);
    expect(hundred.calls).toBeLessThan(18);
  });

  test('none of 300 fails', async () => {
    const outcome = await run(writerLoads.threeHundred);
    expect(outcome.failed).toBe(0);
    expect(outcome.p99).toBeLessThan(4000);
    expect(outcome.sent).toBeLessThan(1.2);
  });

  test('where 2 % of those that wait die, the others soon go on', async () => {
    const outcome = await run(writerLoads.dying, 12_000);
    expect(outcome.failed).toBe(0);
    expect(outcome.died).toBeGreaterThan(20);
    expect(outcome.p99).toBeLessThan(2500);
  });

  test('that come at random, at three quarters of what one writer can do, hardly wait', async () => {
    const outcome = await run(writerLoads.random, 15_000);
    expect(outcome.failed).toBe(0);
    expect(outcome.p99).toBeLessThan(200);
    expect(outcome.sent).toBeLessThan(1.6);
  });

  test('two that loop take turns; two that write now and then never meet, and pay nothing', async () => {
    const pair = await run(writerLoads.pair, 5000);
    expect(pair.sent).toBeLessThan(1.6);
    expect(pair.p99).toBeLessThan(250);
    const [one, inTurn] = [await runOne(), await run(writerLoads.two)];
    expect(inTurn.sent).toBeLessThanOrEqual(1.1);
    expect(inTurn.calls).toBeLessThanOrEqual(3.3);
    expect(inTurn.p50).toBeLessThanOrEqual(1.15 * one.p50);
  });

  test('a batch commits in one round trip per item', async () => {
    const batch = await run(writerLoads.batch, 3000);
    expect(batch.calls).toBeLessThan(1.01);
    expect(batch.sent).toBe(1);
  });
});
