import { simulateWriters, writerLoads, type WriterLoad, type WriterOutcome } from '../simulation/writers.ts';
import type { Budget, Measure, Run, Table } from './section.ts';

/** Simulates how many writes a second an organization takes from many writers at once, and how long each waits. */
export const measureWriters: Measure = async ({ quick, progress }) => {
  const simulated = await simulateAll(quick, progress);
  return {
    title: 'Many writers of one organization',
    about: [
      'Every write to an organization advances its head, so writers of one organization take turns. Each writer here ' +
        'creates leads with a name and an email, and is a function of its own. In a closed loop a writer begins the next ' +
        'write when the last is stored; in a burst each writes once, all at the same moment. A batch of 100 leads, each with a ' +
        'name, an email and a phone number, is five transactions, one after the other. A write has 13.5 seconds, as in a ' +
        'function; after that it fails, or soon, if too many wait already. An import writes without a pause, with what its last ' +
        'write stored; beside it, times and writes per second are those of the others.',
      'What the real service would show comes from a simulation of it, in virtual time, the same in every run: ' +
        'transactions are prepared in 3 to 5 ms, in which they hold their items and refuse others with a conflict, and ' +
        'then applied item by item within 1 to 3 ms, one item in a hundred up to 60 ms late; the network takes 0.6 to 1.2 ms ' +
        'each way, a read 0.2 to 0.6. These times are assumptions; what follows from them is exact. Refused transactions are ' +
        'charged, and their units are in the table.',
    ],
    budgets: budgetsOf(simulated),
    tables: [simulatedTable(Object.values(simulated))],
  };
};

type Simulated = Record<keyof typeof writerLoads, WriterOutcome & { load: WriterLoad }>;

/** Runs each load in the simulation of the real service. */
async function simulateAll(quick: boolean, progress: Run['progress']): Promise<Simulated> {
  const outcomes: Partial<Simulated> = {};
  for (const name of Object.keys(writerLoads) as (keyof typeof writerLoads)[]) {
    const load: WriterLoad = writerLoads[name];
    progress(`simulating ${load.name}`);
    const { milliseconds } = load;
    const shorter = quick && milliseconds !== undefined ? { milliseconds: milliseconds / 4 } : {};
    outcomes[name] = { load, ...(await simulateWriters({ ...load, ...shorter })) };
  }
  return outcomes as Simulated;
}

function budgetsOf(all: Simulated): Budget[] {
  const { one, two, ten, hundred, threeHundred, dying, random, batches, overload, besideLoop } = all;
  const ratio = (outcome: WriterOutcome) => outcome.perSecond / one.perSecond;
  const atLeast = (what: string, measured: number, limit: number): Budget => ({
    what,
    limit: `at least ${limit}`,
    measured: measured.toFixed(limit === 1 ? 2 : 0),
    met: measured >= limit,
  });
  const atMost = (what: string, measured: number, limit: number, unit = ''): Budget => ({
    what,
    limit: `at most ${limit}${unit}`,
    measured: `${measured.toFixed(unit === '' ? 2 : 0)}${unit}`,
    met: measured <= limit,
  });
  const loops = [one, two, all.pair, ten, hundred, threeHundred, dying, random];
  return [
    atLeast('Writes per second of 10 writers, to those of 1 (simulated)', ratio(ten), 1),
    atLeast('Writes per second of 100 writers, to those of 1 (simulated)', ratio(hundred), 1),
    atMost('99th percentile of a write of 10 writers (simulated)', ten.p99, 250, ' ms'),
    atMost('99th percentile of a write of 100 writers (simulated)', hundred.p99, 1500, ' ms'),
    atMost('… where 2 % of those that wait die (simulated)', dying.p99, 2500, ' ms'),
    atMost('99th percentile of random writes at 3/4 of the rate of 1 (simulated)', random.p99, 200, ' ms'),
    atMost('… of 10 a second beside an import (simulated)', besideLoop.p99, 300, ' ms'),
    atLeast('Writes per second that are stored, of 200 that come (simulated)', overload.perSecond, 80),
    atMost('99th percentile of the time until the others fail (simulated)', overload.failedP99, 350, ' ms'),
    atMost('Transactions sent per stored write of 100 writers (simulated)', hundred.sent, 1.2),
    atMost('… of any load but a burst (simulated)', Math.max(...loops.map(({ sent }) => sent)), 1.6),
    atMost('Writes that failed, of 300 writers (simulated)', threeHundred.failed, 0),
    atMost('Median of 2 writers in turn, to that of 1 (simulated)', two.p50 / one.p50, 1.15),
    atLeast(
      'Leads per second of 1 writer that sends batches of 100 (simulated)',
      batches.leadsPerSecond,
      500,
    ),
  ];
}

function simulatedTable(rows: readonly Simulated[keyof Simulated][]): Table {
  return {
    caption:
      'In the simulation of the real service; transactions, calls and units are for each write that was stored, and a batch is one write',
    columns: [
      'load',
      'writes/s',
      'leads/s',
      'p50 ms',
      'p99 ms',
      'stored',
      'failed',
      'transactions',
      'calls',
      'read units',
      'write units',
    ],
    rows: rows.map((row) => [
      row.load.name,
      row.perSecond.toFixed(row.perSecond < 10 ? 1 : 0),
      row.leadsPerSecond.toFixed(row.leadsPerSecond < 10 ? 1 : 0),
      row.p50.toFixed(0),
      row.p99.toFixed(0),
      row.stored,
      row.failed,
      row.sent.toFixed(2),
      row.calls.toFixed(1),
      row.readUnits.toFixed(1),
      row.writeUnits.toFixed(1),
    ]),
  };
}
