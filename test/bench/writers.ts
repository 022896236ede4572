import { simulateWriters, writerLoads, type WriterLoad } from '../simulation/writers.ts';
import type { Chapter, Run } from './chapter.ts';

/**
 * Simulates how many writes a second an organization takes from many writers at once, and how long each
 * waits. `many-writers.full.test.ts` has the budgets.
 */
export async function measureWriters({ quick, progress }: Run): Promise<Chapter> {
  const rows: (string | number)[][] = [];
  for (const load of Object.values<WriterLoad>(writerLoads)) {
    progress(`simulating ${load.name}`);
    const milliseconds = quick && load.milliseconds !== undefined ? load.milliseconds / 4 : load.milliseconds;
    const outcome = await simulateWriters({ ...load, ...(milliseconds !== undefined && { milliseconds }) });
    const {
      perSecond,
      leadsPerSecond,
      p50,
      p99,
      stored,
      failed,
      atOnce,
      sent,
      calls,
      readUnits,
      writeUnits,
    } = outcome;
    rows.push([
      load.name,
      ...[perSecond, leadsPerSecond].map((rate) => rate.toFixed(rate < 10 ? 1 : 0)),
      ...[p50, p99].map((time) => time.toFixed(0)),
      ...[stored, failed, atOnce, sent.toFixed(2)],
      ...[calls, readUnits, writeUnits].map((amount) => amount.toFixed(1)),
    ]);
  }
  return {
    title: 'Many writers of one organization, simulated',
    about:
      'Each writer creates leads with a name and an email, and is a function of its own. In a closed loop a writer begins the next write when the last is ' +
      'stored; in a burst each writes once, all at the same moment. A batch of 100 leads, each with a name, an email and a phone number, is one write of five ' +
      'transactions. A write has 13.5 seconds; after that it fails, or soon, if too many wait already. Beside an import, which writes without a pause, or beside ' +
      'batches of 100 changes of one product, 5 ms apart, times and writes per second are those of the others. At once is the maximum of writers under way: each keeps a function. Transactions, calls and units are for each stored write, refused transactions included. Every machine has the same results.',
    table: {
      areAmounts: true,
      columns: [
        ...['Load', 'Writes/s', 'Leads/s', 'p50 ms', 'p99 ms', 'Stored', 'Failed', 'At once'],
        ...['Transactions', 'Calls', 'Read units', 'Write units'],
      ],
      rows,
    },
    budgets: [],
  };
}
