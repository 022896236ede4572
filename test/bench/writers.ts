import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../infra/local/engine.ts';
import { Failure } from '../../shared/endpoints/errors.ts';
import { createLead } from '../../shared/leads/leads.ts';
import type { Caller } from '../../shared/ledger/caller.ts';
import { clientConfig } from '../../shared/ledger/client-config.ts';
import { newMeter, type Meter } from '../../shared/ledger/meter.ts';
import { realOutside } from '../../shared/ledger/outside.ts';
import { openStore, type Store } from '../../shared/ledger/store.ts';
import { foundOrganizationAt, type TableAddress } from '../support/organizations.ts';
import { withTable } from './database.ts';
import type { Budget, Measure, Plot, Run, Section, Table } from './section.ts';
import { median, quantile } from './statistics.ts';

/** Added to every call, half on its way and half on the way back. */
const addedMilliseconds = 5;
/** What a function of 15 seconds leaves its writes. */
const deadlineMilliseconds = 13_500;
/** No burst is larger; so no writer ever waits for a connection. */
const mostWriters = 300;

/** A load: writers that each have an organization, and how long they go on; without that, each writes once. */
interface Load {
  name: string;
  writers: number;
  organizations: number;
  milliseconds?: number;
  /** Whether each write is of a function that has not seen the organization yet, and reads the head first. */
  forgetful?: boolean;
}

/** What came of one run of a load. */
interface Outcome {
  perSecond: number;
  p50: number;
  p99: number;
  /** Until the last writer was done. */
  milliseconds: number;
  failed: number;
  /** For each write that was stored. */
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** The part of the time in which the thread of the writers was busy. */
  busy: number;
}

type Organization = Pick<Caller, 'organization' | 'userId'>;

/** Where writers find what they write to. */
interface Organizations {
  /** With no head remembered, and the added latency. */
  newStore: () => Store;
  found: () => Promise<Organization>;
}

/**
 * How many writes a second an organization takes from many writers at once, and how long each waits.
 * @throws LocalError when there is no engine.
 */
export const measureWriters: Measure = (run) => withTable((table) => measure(run, table), { stream: false });

async function measure({ quick, progress }: Run, table: TableAddress): Promise<Section> {
  const config = {
    ...clientConfig,
    requestHandler: {
      ...clientConfig.requestHandler,
      httpAgent: new Agent({ keepAlive: true, maxSockets: mostWriters }),
    },
  };
  const client = clientOf(table, config);
  try {
    addLatency(client);
    const organizations: Organizations = {
      newStore: () => openStore(client, table.tableName, realOutside),
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
    const forgetful: Load = { ...loop(1), name: '1 writer, no head remembered', forgetful: true };
    const loads = [forgetful, ...loops, ...bursts, apart];
    const outcomes = new Map<Load, Outcome[]>(loads.map((load) => [load, []]));
    // The first calls of a process are slow.
    await carryOut({ name: 'warm-up', writers: 10, organizations: 10, milliseconds: 500 }, organizations);
    for (let round = 1; round <= (quick ? 1 : 3); round++) {
      for (const load of loads) {
        progress(`round ${round}: ${load.name}`);
        outcomes.get(load)!.push(await carryOut(load, organizations));
      }
    }
    const of = (load: Load) => medianOf(outcomes.get(load)!);
    const rows = loads.map((load) => ({ load, ...of(load) }));
    return {
      title: 'Many writers of one organization',
      about: [
        'Every write to an organization advances its head, so writers of one organization take turns. Each writer here ' +
          'creates leads with a name and an email, and has a store of its own, as separate functions have: it remembers ' +
          'no head but those that it has seen itself. In a closed loop a writer begins the next write when the last is ' +
          'stored; in a burst each writes once, all at the same moment, without a head remembered.',
        'The ratios are to one writer that remembers the head, so that it needs one round trip; the first row is one ' +
          'that does not, as none can among many: what they have seen is old by then.',
        `Every call takes ${addedMilliseconds} ms longer than the engine takes for it, as over a network. All writers ` +
          `share one thread and one HTTP agent with a connection for each. A write has ${deadlineMilliseconds / 1000} ` +
          'seconds, as in a function; after that it fails. Numbers are medians of interleaved rounds.',
        'The table is the deployed one without its stream: with one, this engine takes longer for every transaction, ' +
          'refused ones included, the more have been stored, and a result would depend on what ran before. A refused ' +
          'transaction costs the engine about as much as a stored one, and it carries out one at a time; units of ' +
          'refused ones are not reported, though DynamoDB would charge for them.',
      ],
      budgets: budgetsOf({ one: of(loops[0]!), rows }),
      tables: [tableOf(rows)],
      plots: plotsOf(rows.filter(({ load }) => loops.includes(load))),
    };
  } finally {
    client.destroy();
  }
}

type Row = Outcome & { load: Load };

function budgetsOf({ one, rows }: { one: Outcome; rows: Row[] }): Budget[] {
  return rows.flatMap(({ load: { name, writers, organizations, milliseconds }, ...outcome }) => {
    const budgets: Budget[] = [];
    if (organizations > 1 || writers === 1) return budgets;
    if (milliseconds !== undefined) {
      const ratio = outcome.perSecond / one.perSecond;
      budgets.push({
        what: `Writes per second of ${name}, to those of 1 writer`,
        limit: 'at least 1',
        measured: ratio.toFixed(2),
        met: ratio >= 1,
      });
    }
    if (writers === 100) {
      budgets.push({
        what: `99th percentile of the time of a write, ${name}${milliseconds === undefined ? '' : ' in a loop'}`,
        limit: 'below 2000 ms',
        measured: `${outcome.p99.toFixed(0)} ms`,
        met: outcome.p99 < 2000,
      });
    }
    budgets.push({
      what: `Writes that failed, ${name}`,
      limit: 'none',
      measured: String(outcome.failed),
      met: outcome.failed === 0,
    });
    return budgets;
  });
}

function tableOf(rows: Row[]): Table {
  return {
    caption: 'Creates of leads; calls and units are for each that was stored',
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

function plotsOf(loops: Row[]): Plot[] {
  const x = { label: 'writers of one organization', logarithmic: true };
  const series = (name: string, value: (row: Row) => number) => ({
    name,
    points: loops.map((row): [number, number] => [row.load.writers, value(row)]),
  });
  return [
    {
      name: 'writers-throughput',
      caption: 'Writes per second that one organization takes, in a closed loop',
      kind: 'line',
      x,
      y: { label: 'writes/s' },
      series: [series('stored', ({ perSecond }) => perSecond)],
    },
    {
      name: 'writers-latency',
      caption: 'How long a write takes, in a closed loop',
      kind: 'line',
      x,
      y: { label: 'ms', logarithmic: true },
      series: [series('median', ({ p50 }) => p50), series('99th percentile', ({ p99 }) => p99)],
    },
  ];
}

/** Lets the writers of a load write, to organizations that are new. */
async function carryOut(
  { writers, organizations, milliseconds, forgetful }: Load,
  { newStore, found }: Organizations,
): Promise<Outcome> {
  const founded: Organization[] = [];
  for (let at = 0; at < organizations; at++) founded.push(await found());
  const times: number[] = [];
  const meter = newMeter();
  let failed = 0;
  let inTime = 0;
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  const end = began + (milliseconds ?? 0);
  const one = async (store: Store, organization: Organization, lead: string) => {
    const from = performance.now();
    const caller = { ...organization, deadline: Date.now() + deadlineMilliseconds, meter };
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
      do await one(forgetful ? newStore() : store, organization, `${writer}-${writes++}`);
      while (performance.now() < end);
    }),
  );
  const took = performance.now() - began;
  const { utilization } = performance.eventLoopUtilization(before);
  return {
    ...outcomeOf(times, meter, failed),
    milliseconds: took,
    busy: utilization,
    perSecond: milliseconds === undefined ? (times.length * 1000) / took : (inTime * 1000) / milliseconds,
  };
}

function outcomeOf(times: number[], meter: Meter, failed: number) {
  const each = (total: number) => total / times.length;
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    failed,
    calls: each(meter.calls),
    readUnits: each(meter.readUnits),
    writeUnits: each(meter.writeUnits),
  };
}

/** The median of each number; of failures, all. */
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
