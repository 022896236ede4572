import * as v from 'valibot';
import { collections } from '../../../infra/admin/table/collections.ts';
import type { Collection, Ledger, RecordOf } from '../../../shared/ledger/index.ts';

/** Teams. A team owns lists of jobs and of events. */
export const teams = {
  name: 'TEAM',
  label: 'team',
  schema: v.object({ id: v.number() }),
  eventListIndex: 1,
} as const satisfies Collection;

/** Jobs. A job is in the list of its state, of its team, and of its tag. There can be any number of tags. */
export const jobs = {
  name: 'JOB',
  label: 'job',
  schema: v.object({ id: v.number(), state: v.string(), team: v.nullable(v.number()), tag: v.string() }),
  lists: {
    state: { of: ({ state }: { state: string }) => ({ name: state }) },
    team: {
      of: ({ team }: { team: number | null }) =>
        team === null ? undefined : { owner: { collection: teams, id: team } },
    },
    tag: {
      of: ({ tag }: { tag: string }) => (tag === '' ? undefined : { name: tag }),
      hasManyNames: true,
    },
  },
  due: ({ state }: { state: string }) =>
    state === 'OPEN' ? { worker: 'remind', at: '2030-01-01T00:00:00.000Z' } : undefined,
} as const satisfies Collection;
type Job = RecordOf<typeof jobs>;

export const withJobs = { collections: [teams, jobs, ...collections] };
const team = (number: number) => ({ collection: teams, number });
const job = (number: number) => ({ collection: jobs, number });
const told = { event: 'JOBS_CHANGED', data: 'Jobs were changed.', referenceId: '1' };
const teamsOf = (...ids: (number | null | undefined)[]) =>
  Object.fromEntries(ids.flatMap((id) => (id == null ? [] : [[`team${id}`, team(id)]])));

export async function addTeams(ledger: Ledger, count: number): Promise<void> {
  await ledger.write({}, (write) => {
    const added = Array.from({ length: count }, () => write.append(teams, ({ number }) => ({ id: number })));
    for (const { ref } of added) write.event(told, [ref]);
  });
}

export async function addJobs(ledger: Ledger, ...all: Omit<Job, 'id'>[]): Promise<void> {
  await ledger.write({ change: teamsOf(...all.map((one) => one.team)) }, (write) => {
    for (const one of all) write.append(jobs, ({ number }) => ({ id: number, ...one }));
    write.event(told);
  });
}

export async function changeJob(ledger: Ledger, number: number, change: Partial<Job>): Promise<void> {
  const before = await ledger.get(job(number));
  const isMoved = change.team !== undefined && change.team !== before.team;
  const read = { ...(isMoved && teamsOf(before.team, change.team)), job: job(number) };
  await ledger.write({ change: read }, (write) => {
    write.replace(job(number), { ...before, ...change });
    write.event(told);
  });
}

export async function removeJob(ledger: Ledger, number: number): Promise<void> {
  const { team: id } = await ledger.get(job(number));
  await ledger.write({ change: { ...teamsOf(id), job: job(number) } }, (write) => {
    write.remove(job(number));
    write.event(told);
  });
}

/**
 * Makes seven jobs. Open are 2, 3, 5 and 6 (ranks 2, 3, 5, 6 of 7). Of team 1 are 2 and 3 (of 4). Tagged with
 * an address are 1, 3 and 4 (ranks 1, 5 and 4 of 5). Team 3 was deleted after job 6 had left it; job 7 is
 * still in its list.
 */
export async function fillJobs(ledger: Ledger): Promise<void> {
  await addTeams(ledger, 3);
  const open = { state: 'OPEN', team: 1, tag: 'ann@example.com' };
  await addJobs(ledger, open, open, open, open, { state: 'OPEN', team: 2, tag: '' });
  await addJobs(ledger, { ...open, team: 3, tag: '' }, { ...open, team: 3, tag: '' });
  await changeJob(ledger, 1, { state: 'DONE', team: 2 });
  await changeJob(ledger, 4, { state: 'DONE', team: null });
  await changeJob(ledger, 2, { tag: 'b' });
  await changeJob(ledger, 3, { tag: '' });
  await changeJob(ledger, 3, { tag: 'ann@example.com' });
  await changeJob(ledger, 6, { team: null });
  await changeJob(ledger, 7, { state: 'DONE' });
  await removeTeam(ledger, 3);
}

export async function removeTeam(ledger: Ledger, ...numbers: number[]): Promise<void> {
  await ledger.write({ change: teamsOf(...numbers) }, (write) => {
    for (const number of numbers) write.remove(team(number));
    write.event(told);
  });
}

/** Removes a job. Its team may be removed already. */
export async function removeJobOfRemovedTeam(ledger: Ledger, number: number): Promise<void> {
  const { team: id } = await ledger.get(job(number));
  await ledger.write({ change: { job: job(number) } }, async (write) => {
    if (!(await write.readFormer(team(id!)))) await write.read(team(id!), { mayStayUnchanged: true });
    write.remove(job(number));
    write.event(told);
  });
}

/** List of the jobs of team 1. */
export const team1 = `TEAM#${'1'.padStart(12, '0')}#JOB#2`;
/** Partition of a team's former item, without its prefix. */
export const formerTeamOf = (number: number) => `TEAM#${String(number).padStart(12, '0')}`;

/** Lists that `fillBuckets` makes: all jobs, the jobs of a state, and the jobs of a team. */
export const bigLists = ['JOB', 'JOB#1#OPEN', team1];

/** Makes lists of two buckets, each with holes. */
export async function fillBuckets(ledger: Ledger): Promise<void> {
  const count = 4100;
  await addTeams(ledger, 1);
  const all = Array.from({ length: count }, () => ({ state: 'OPEN', team: 1, tag: '' }));
  for (let from = 0; from < count; from += 90) await addJobs(ledger, ...all.slice(from, from + 90));
  for (const number of [1, 50, 4097, 4099]) await changeJob(ledger, number, { state: 'DONE', team: null });
  for (const number of [2, 4098]) await removeJob(ledger, number);
}
