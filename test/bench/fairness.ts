import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { BurstMessage, type BurstKind, type Order } from './fairness-burst.ts';
import { kinds, rhythm, SteadyUser, type Times } from './fairness-rhythm.ts';
import type { Budget, Measure, Run, Section, Table } from './section.ts';
import { withService, type Service } from './service.ts';
import { quantile } from './statistics.ts';

/** Number of clients of a burst. */
const clients = 100;
/** Factor by which the other organization may get slower. */
const maxTimes = 2;

const phases = ['quiet', 'creates', 'lists'] as const;
type Phase = (typeof phases)[number];

/** Outcome of a burst. */
type Burst = Extract<BurstMessage, { state: 'done' }>;

interface Measured {
  times: Record<Phase, Times>;
  bursts: Record<BurstKind, Burst[]>;
}

/** Measures how long one organization waits while another sends as much as it can. */
export const measureFairness: Measure = async (run) =>
  sectionOf(await withService((service) => measure(run, service)), run);

async function measure({ quick, progress }: Run, { baseUrl, tokens }: Service): Promise<Measured> {
  const [bursting = '', steady = ''] = tokens;
  const rounds = quick ? 1 : 6;
  const milliseconds = quick ? 5_000 : 10_000;
  const newTimes = (): Times => ({ list: [], read: [], create: [] });
  const times = { quiet: newTimes(), creates: newTimes(), lists: newTimes() };
  const bursts: Measured['bursts'] = { creates: [], lists: [] };
  const user = new SteadyUser(baseUrl, steady);
  try {
    await user.warmUp();
    // A burst occupies the existing threads, so the first request beside it waits for a new one.
    const orderOf = (kind: BurstKind, name: string) => ({ baseUrl, token: bursting, clients, kind, name });
    for (const kind of ['creates', 'lists'] as const)
      await duringBurst(orderOf(kind, 'first'), () => user.goOn(1_000), bursts[kind]);
    for (let round = 0; round < rounds; round++) {
      // Each phase comes once in every position, so that other work of the computer affects all phases.
      for (const at of phases.keys()) {
        const phase = phases[(at + round) % phases.length] ?? 'quiet';
        progress(`${phase}, round ${round + 1} of ${rounds}`);
        const took =
          phase === 'quiet'
            ? await user.goOn(milliseconds)
            : await duringBurst(
                orderOf(phase, `burst-${round}`),
                () => user.goOn(milliseconds),
                bursts[phase],
              );
        for (const kind of kinds) times[phase][kind].push(...took[kind]);
      }
    }
    return { times, bursts };
  } finally {
    user.close();
  }
}

/** Runs some work during a burst, and adds the burst's outcome to the others. */
async function duringBurst<T>(order: Order, work: () => Promise<T>, bursts: Burst[]): Promise<T> {
  const thread = new Worker(new URL('fairness-burst.ts', import.meta.url), { workerData: order });
  const nextMessage = async () => {
    const messages: unknown[] = await once(thread, 'message');
    return v.parse(BurstMessage, messages[0]);
  };
  try {
    await nextMessage();
    const ended = nextMessage();
    const result = await work();
    thread.postMessage('stop');
    const burst = await ended;
    if (burst.state === 'done') bursts.push(checked(burst));
    return result;
  } finally {
    await thread.terminate();
  }
}

/** @throws Error for an answer that is neither a success nor a refusal that allows another try */
function checked(burst: Burst): Burst {
  const other = Object.keys(burst.statuses).find((status) => !['200', '201', '429', '503'].includes(status));
  if (other !== undefined) throw new Error(`A request of the burst was answered ${other}`);
  return burst;
}

const allOf = (times: Times) => kinds.flatMap((kind) => times[kind]);

function sectionOf({ times, bursts }: Measured, { quick }: Run): Section {
  const lowest = Math.min(...phases.map((phase) => allOf(times[phase]).length));
  return {
    title: 'Fairness',
    about: [
      'How long one organization waits for the local machine, its database in memory, while another sends all it can. The ' +
        `first sends one request at a time, one each ${rhythm} ms or once the last is answered: a list of 50 leads, a lead ` +
        `by its id, a new lead, in turn. The burst is of ${clients} clients in a closed loop, which create leads, or list ` +
        'them; they have a thread of their own. The stage is given limits that no burst reaches.',
      `The phases take turns, ${quick ? 'once for 5 seconds' : 'six times for 10 seconds'} each: quiet, a burst of creates, ` +
        `a burst of lists. There are at least ${lowest} requests of each phase, after a ` +
        'second of each burst in which threads start. All of them, and both ends of the burst, share ' +
        "this computer's cores, where on AWS each request has a CPU of its own: so this tells how the local machine shares. " +
        'No request of the first organization failed.',
    ],
    budgets: [budgetOf(times, 'creates'), budgetOf(times, 'lists')],
    tables: [waitsOf(times), burstsOf(bursts)],
  };
}

function budgetOf(times: Measured['times'], phase: BurstKind): Budget {
  const quiet = quantile(allOf(times.quiet), 0.99);
  const p99 = quantile(allOf(times[phase]), 0.99);
  return {
    what: `p99 of one organization during another's burst of ${phase}`,
    limit: `${maxTimes} times its quiet one`,
    measured: `${p99.toFixed(1)} of ${quiet.toFixed(1)} ms: ${(p99 / quiet).toFixed(2)} times`,
    met: p99 <= maxTimes * quiet,
  };
}

function waitsOf(times: Measured['times']): Table {
  const rowsOf = (name: string, of: (times: Times) => number[]) =>
    phases.map((phase) => {
      const [its, quiet] = [of(times[phase]), of(times.quiet)];
      const [p50, p99] = [quantile(its, 0.5), quantile(its, 0.99)];
      return [
        name,
        phase,
        its.length,
        p50.toFixed(1),
        p99.toFixed(1),
        (p50 / quantile(quiet, 0.5)).toFixed(2),
        (p99 / quantile(quiet, 0.99)).toFixed(2),
      ];
    });
  return {
    caption: 'How long the first organization waited',
    columns: [
      'Request',
      'Meanwhile',
      'Requests',
      'p50 (ms)',
      'p99 (ms)',
      'p50, times quiet',
      'p99, times quiet',
    ],
    rows: [...kinds.flatMap((kind) => rowsOf(kind, (all) => all[kind])), ...rowsOf('all', allOf)],
  };
}

function burstsOf(bursts: Measured['bursts']): Table {
  const kindsOfBurst: BurstKind[] = ['creates', 'lists'];
  return {
    caption: 'What the burst was answered',
    columns: ['Burst of', 'Clients', 'Per second', 'Answers'],
    rows: kindsOfBurst.map((kind) => {
      const counts = new Map<string, number>();
      for (const { statuses } of bursts[kind])
        for (const [status, count] of Object.entries(statuses))
          counts.set(status, (counts.get(status) ?? 0) + count);
      const answers = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const milliseconds = bursts[kind].reduce((sum, burst) => sum + burst.milliseconds, 0);
      return [
        kind,
        clients,
        Math.round((answers * 1000) / milliseconds),
        [...counts].map(([status, count]) => `${status}: ${count}`).join(', '),
      ];
    }),
  };
}
