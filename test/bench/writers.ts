import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../infra/local/engine.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import type { Caller } from '../../shared/ledger/internal/caller.ts';
import { clientConfig } from '../../shared/ledger/internal/client-config.ts';
import {
  newConsumedCapacity,
  type ConsumedCapacity,
} from '../../shared/ledger/internal/consumed-capacity.ts';
import { realSystem } from '../../shared/core/system.ts';
import { openStore, type Store } from '../../shared/ledger/internal/store.ts';
import { simulateWriters, writerLoads, type WriterLoad, type WriterOutcome } from '../simulation/writers.ts';
import { foundOrganizationAt } from '../support/organizations.ts';
import { withTable, type EngineTable } from './database.ts';
import type { Budget, Measure, Plot, Run, Section, Table } from './section.ts';
import { median, quantile } from './statistics.ts';
import { Failure } from '../../shared/core/failure.ts';

/** Milliseconds added to every call, half on the way there and half on the way back. */
const addedMilliseconds = 5;
/** Milliseconds that a function with a timeout of 15 seconds leaves its writes. */
const deadlineMilliseconds = 13_500;
/** Maximum of writers, so that none waits for a connection. */
const maxWriters = 300;

/** A load: writers on organizations, for a number of milliseconds, or once each if undefined. */
interface Load {
  name: string;
  writers: number;
  organizations: number;
  milliseconds?: number;
}

/** Outcome of one run of a load. */
interface Outcome {
  perSecond: number;
  p50: number;
  p99: number;
  /** Milliseconds until the last writer was done. */
  milliseconds: number;
  failed: number;
  /** Calls for each stored write. */
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** Share of the time in which the writers' thread was busy. */
  busy: number;
}

type Organization = Pick<Caller, 'organization' | 'userId'>;

/** Organizations that writers write to. */
interface Organizations {
  /** Opens a store with the added latency. */
  newStore: () => Store;
  found: () => Promise<Organization>;
}

/**
 * Measures how many writes a second an organization takes from many writers at once, and how long each write
 * waits. @throws LocalError if there is no engine
 */
export const measureWriters: Measure = (run) => withTable((table) => measure(run, table));

async function measure({ quick, progress }: Run, table: EngineTable): Promise<Section> {
  const config = {
    ...clientConfig,
    requestHandler: {
      ...clientConfig.requestHandler,
      httpAgent: new Agent({ keepAlive: true, maxSockets: maxWriters }),
    },
  };
  const client = clientOf(table, config);
  try {
    addLatency(client);
    const organizations: Organizations = {
      newStore: () => openStore(client, table.tableName, realSystem),
      found: async () => {
        const { code, userId } = await foundOrganizationAt(table);
        return { organization: code, userId };
      },
    };
    const milliseconds = quick ? 700 : 2500;
    const loop = (writers: number): Load => ({
      name: writers === 1 ? '1 writer' : `${writers} writers`,
      writers,
      organizations: 1,
      milliseconds,
    });
    const loops = [1, 10, 100].map(loop);
    const bursts = [100, 300].map((writers): Load => ({
      name: `burst of ${writers}`,
      writers,
      organizations: 1,
    }));
    const apart: Load = { name: '100 apart', writers: 100, organizations: 100, milliseconds };
    const loads = [...loops, ...bursts, apart];
    const outcomes = new Map<Load, Outcome[]>(loads.map((load) => [load, []]));
    // The first calls of a process are slow.
    await carryOut({ name: 'warm-up', writers: 10, organizations: 10, milliseconds: 500 }, organizations);
    for (let round = 1; round <= (quick ? 1 : 3); round++) {
      for (const load of loads) {
        progress(`round ${round}: ${load.name}`);
        outcomes.get(load)!.push(await carryOut(load, organizations));
      }
    }
    const rows = loads.map((load) => ({ load, ...medianOf(outcomes.get(load)!) }));
    const simulated = await simulateAll(quick, progress);
    return {
      title: 'Many writers of one organization',
      about: [
        'Every write to an organization advances its head, so writers of one organization take turns. Each writer here ' +
          'creates leads with a name and an email, and is a function of its own. In a closed loop a writer begins the next ' +
          'write when the last is stored; in a burst each writes once, all at the same moment. A batch of 100 leads, each with a ' +
          'name, an email and a phone number, is five transactions, one after the other.',
        'What the real service would show comes from a simulation of it, in virtual time, the same in every run: ' +
          'transactions are prepared in 3 to 5 ms, in which they hold their items and refuse others with a conflict, and ' +
          'then applied item by item within 1 to 3 ms, one item in a hundred up to 60 ms late; the network takes 0.6 to 1.2 ms ' +
          'each way, a read 0.2 to 0.6. These times are assumptions; what follows from them is exact. Refused transactions are ' +
          'charged, and their units are in the table.',
        'The local engine carries out one call after the other and knows no conflict, so its numbers show the waiting and ' +
          `not the service. Every call takes ${addedMilliseconds} ms longer than the engine takes for it, as over a network. ` +
          'All writers share one thread and one HTTP agent with a connection for each. Numbers are medians of interleaved ' +
          'rounds. The table is the deployed one without its stream: with one, this engine takes longer for every ' +
          'transaction, refused ones included, the more have been stored.',
        `A write has ${deadlineMilliseconds / 1000} seconds, as in a function; after that it fails.`,
      ],
      budgets: budgetsOf(simulated),
      tables: [simulatedTable(Object.values(simulated)), tableOf(rows)],
      plots: plotsOf(Object.values(simulated)),
    };
  } finally {
    client.destroy();
  }
}

type Row = Outcome & { load: Load };

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
  const { one, two, ten, hundred, threeHundred, dying, random, batches } = all;
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

function tableOf(rows: Row[]): Table {
  return {
    caption: 'On the local engine, with added latency; calls and units are for each write that was stored',
    columns: [
      'load',
      'writes/s',
      'p50 ms',
      'p99 ms',
      'all done s',
      'failed',
      'calls',
      'read units',
      'write units',
      'thread busy',
    ],
    rows: rows.map((row) => [
      row.load.name,
      row.perSecond.toFixed(0),
      row.p50.toFixed(0),
      row.p99.toFixed(0),
      (row.milliseconds / 1000).toFixed(1),
      row.failed,
      row.calls.toFixed(1),
      row.readUnits.toFixed(1),
      row.writeUnits.toFixed(1),
      `${(row.busy * 100).toFixed(0)} %`,
    ]),
  };
}

function plotsOf(rows: readonly Simulated[keyof Simulated][]): Plot[] {
  const x = { label: 'writers of one organization', logarithmic: true };
  const isLoop = (load: WriterLoad) => !load.dying && !load.batch && !load.leads && !load.pause;
  const loops = rows.filter(({ load }) => isLoop(load) && load.milliseconds);
  const series = (name: string, value: (outcome: WriterOutcome) => number) => ({
    name,
    points: loops.flatMap((row): [number, number][] =>
      typeof row.load.writers === 'number' ? [[row.load.writers, value(row)]] : [],
    ),
  });
  return [
    {
      name: 'writers-throughput',
      caption: 'Writes per second that one organization takes, in a closed loop, simulated',
      kind: 'line',
      x,
      y: { label: 'writes/s' },
      series: [series('stored', ({ perSecond }) => perSecond)],
    },
    {
      name: 'writers-latency',
      caption: 'How long a write takes, in a closed loop, simulated',
      kind: 'line',
      x,
      y: { label: 'ms', logarithmic: true },
      series: [series('median', ({ p50 }) => p50), series('99th percentile', ({ p99 }) => p99)],
    },
  ];
}

/** Lets the writers of a load write, to new organizations. */
async function carryOut(
  { writers, organizations, milliseconds }: Load,
  { newStore, found }: Organizations,
): Promise<Outcome> {
  const founded: Organization[] = [];
  for (let at = 0; at < organizations; at++) founded.push(await found());
  const times: number[] = [];
  const capacity = newConsumedCapacity();
  let failed = 0;
  let inTime = 0;
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  const end = began + (milliseconds ?? 0);
  const one = async (store: Store, organization: Organization, lead: string) => {
    const from = performance.now();
    const caller = { ...organization, deadline: Date.now() + deadlineMilliseconds, capacity };
    try {
      await createLead(store.ledgerOf(caller), { name: 'Ann Bell', email: `${lead}@example.com` });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'unavailable') throw error;
      failed++;
      return;
    }
    const now = performance.now();
    times.push(now - from);
    if (now <= end) inTime++;
  };
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const store = newStore();
      const organization = founded[writer % organizations];
      if (organization === undefined) return;
      let writes = 0;
      do await one(store, organization, `${writer}-${writes++}`);
      while (performance.now() < end);
    }),
  );
  const took = performance.now() - began;
  const { utilization } = performance.eventLoopUtilization(before);
  return {
    ...outcomeOf(times, capacity, failed),
    milliseconds: took,
    busy: utilization,
    perSecond: milliseconds === undefined ? (times.length * 1000) / took : (inTime * 1000) / milliseconds,
  };
}

function outcomeOf(times: number[], capacity: ConsumedCapacity, failed: number) {
  const each = (total: number) => total / times.length;
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    failed,
    calls: each(capacity.calls),
    readUnits: each(capacity.readUnits),
    writeUnits: each(capacity.writeUnits),
  };
}

/** Median of each number, and the sum of failures. */
function medianOf(outcomes: Outcome[]): Outcome {
  const of = (value: (outcome: Outcome) => number) => median(outcomes.map(value));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    milliseconds: of(({ milliseconds }) => milliseconds),
    failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    calls: of(({ calls }) => calls),
    readUnits: of(({ readUnits }) => readUnits),
    writeUnits: of(({ writeUnits }) => writeUnits),
    busy: of(({ busy }) => busy),
  };
}

function addLatency(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      await sleep(addedMilliseconds / 2);
      try {
        return await next(args);
      } finally {
        await sleep(addedMilliseconds / 2);
      }
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
}
