import { beforeAll, describe, expect, test } from 'vitest';
import {
  simulateWriters,
  writerLoads,
  type WriterLoad,
  type WriterOutcome,
} from '../../simulation/writers.ts';

/** The simulation has two-phase transactions, conflicts and late items, as the real service. */
describe('many writers of one organization, in the simulated DynamoDB', () => {
  // The figures have settled by then. `npm run bench` takes the whole time.
  const run = (load: WriterLoad, milliseconds?: number) =>
    simulateWriters({ ...load, ...(milliseconds !== undefined && { milliseconds }) });
  let one: WriterOutcome;
  beforeAll(async () => {
    one = await run(writerLoads.one, 5000);
  });

  test.each<[keyof typeof writerLoads, number, Partial<WriterOutcome>, Partial<WriterOutcome>?]>([
    ['one', 5000, { failed: 0, sent: 1, calls: 3 }],
    ['ten', 5000, { failed: 0, p99: 250, sent: 1.2 }],
    ['hundred', 6000, { failed: 0, p99: 1500, sent: 1.15, calls: 18 }],
    ['burst', 0, { failed: 0, p99: 1500 }, { stored: 100 }],
    ['dying', 9000, { failed: 0, p99: 2500 }, { died: 20 }],
    ['random', 6000, { failed: 0, p99: 200, sent: 1.6 }],
    ['pair', 5000, { p99: 250, sent: 1.6 }],
    ['besideLoop', 15_000, { failed: 0, p99: 300 }, { loopsPerSecond: 60 }],
    ['besideLoops', 6000, { failed: 0, p99: 300 }, { loopsPerSecond: 60 }],
    ['besideBatches', 6000, { failed: 0, p99: 200 }, { loopsPerSecond: 50 }],
  ])('%s for %i ms: at most %j, at least %j', async (name, milliseconds, most, least = {}) => {
    const outcome = await run(writerLoads[name], milliseconds);
    const names = Object.keys(outcome) as (keyof WriterOutcome)[];
    expect(names.filter((name) => name in most && !(outcome[name] <= most[name]!))).toEqual([]);
    expect(names.filter((name) => name in least && !(outcome[name] >= least[name]!))).toEqual([]);
    if (name === 'ten' || name === 'hundred') expect(outcome.perSecond).toBeGreaterThanOrEqual(one.perSecond);
  });

  test('two occasional writers never meet, and pay nothing', async () => {
    const alternating = await run(writerLoads.two);
    expect(alternating.sent).toBeLessThanOrEqual(1.1);
    expect(alternating.calls).toBeLessThanOrEqual(3.3);
    expect(alternating.p50).toBeLessThanOrEqual(1.15 * one.p50);
  });

  test('a batch commits in one round trip per item; beyond a hundred it reads the counter for each eighth', async () => {
    const [hundred, batch] = [await run(writerLoads.batch, 900), await run(writerLoads.batch, 3000)];
    expect(hundred.stored).toBeLessThan(100);
    expect(hundred.calls).toBeLessThan(1.03);
    expect(batch.calls).toBeLessThan(1.01 + 1 / 8);
    expect(batch.sent).toBe(1);
  });

  test.each<[string, Partial<WriterLoad>]>([
    ['150 a second', { writers: { perSecond: 150 } }],
    ['200 a second, that have 2 s each', { patience: 2000 }],
    ['200 a second, of which 2 % of the waiting ones die', { dying: 0.02 }],
    ['300 a second, of which all die once', { writers: { perSecond: 300 }, allDieAt: 2000 }],
  ])('of too many, some fail soon, and the others are stored: %s', async (_, load) => {
    const outcome = await run({ ...writerLoads.overload, ...load }, 6000);
    expect(outcome.perSecond).toBeGreaterThan(80);
    expect(outcome.p99).toBeLessThan(0.65 * (load.patience ?? 13_500));
    expect(outcome.failed).toBeGreaterThan(100);
    expect(outcome.failedP99).toBeLessThan(350);
    expect(outcome.atOnce).toBeLessThan(300);
  });
});
