import type { Page, PageQuery } from '../../../shared/core/page.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import type { OrganizationModel } from '../run/model/organization-model.ts';
import { notFound } from '../run/model/refusal.ts';
import { foreignWords } from '../run/model/uniques.ts';
import { checkPage } from '../run/pages.ts';
import { once, type Plan } from '../run/plan.ts';
import { someNumber, somePage, type Planner } from '../run/planner.ts';
import { Violation } from '../run/violation.ts';
import {
  addTeam as storeTeam,
  editTasks,
  found,
  pageOfOwner,
  removeTeam as dropTeam,
  shown,
  tasks,
  teams,
  type NewTask,
  type Task,
} from './tasks.ts';

export const statuses = ['open', 'waiting', '2nd try'];
/** Names that users could give: one is the name of a status, and others look like parts of keys. */
export const tags = ['open', 'a#b', '#', 'Straße', '24h', '000000000001'];

export const partitions = (organization: OrganizationModel) => ({
  status: (name: string) => organization.partitionOf('gsi1', 'TASK', { name }),
  team: (team: number) => organization.partitionOf('gsi2', 'TASK', { owner: ['TEAM', team] }),
  teamAndStatus: (team: number, name: string) =>
    organization.partitionOf('gsi3', 'TASK', { owner: ['TEAM', team], name }),
  tag: (name: string) => organization.partitionOf('gsi4', 'TASK', { name }),
  parts: (parent: number, name?: string) =>
    organization.partitionOf('gsi5', 'TASK', { owner: ['TASK', parent], name }),
  eventsOfTeam: (team: number) => organization.partitionOf('gsi1', 'EVENT', { owner: ['TEAM', team] }),
  eventsOfTask: (task: number) => organization.partitionOf('gsi2', 'EVENT', { owner: ['TASK', task] }),
});

/** Number of a task, usually of an existing one. */
function someTaskNumber(planner: Planner): number {
  const { draw, organization, hotness } = planner;
  const limit = draw.happens(hotness) ? 3 : 500;
  const newest = organization.collection('TASK').pageAt(organization.version, { page: 1, limit });
  return newest.length === 0 || draw.happens(0.03) ? someNumber(planner, 'TASK') : draw.pick(newest);
}

function someTask(planner: Planner): NewTask {
  const { draw } = planner;
  const orNull = <T>(value: () => T) => (draw.happens(0.25) ? null : value());
  return {
    status: orNull(() => draw.pick(statuses)),
    team: orNull(() => someNumber(planner, 'TEAM')),
    parent: draw.happens(0.7) ? null : someTaskNumber(planner),
    tag: orNull(() => draw.pick(tags)),
  };
}

/** Random values for some of a task's fields. */
function someChanges(planner: Planner): Partial<NewTask> {
  const { draw } = planner;
  const all = Object.entries(someTask(planner));
  return Object.fromEntries(all.filter(() => draw.happens(0.3)));
}

export function addTasks(planner: Planner): Plan {
  const added = Array.from({ length: planner.draw.pick([1, 1, 2, 4]) }, () => someTask(planner));
  return operating(planner, 'addTasks', (ledger) => editTasks(ledger, { edits: [], added }));
}

export function moveTasks(planner: Planner): Plan {
  const numbers = new Set(
    Array.from({ length: planner.draw.pick([1, 1, 2, 3]) }, () => someTaskNumber(planner)),
  );
  const { draw } = planner;
  const edits = [...numbers].map((number) => {
    const anew = draw.happens(0.2) ? draw.pick(['status', 'tag'] as const) : undefined;
    return { number, to: someChanges(planner), anew };
  });
  const added = draw.happens(0.2) ? [someTask(planner)] : [];
  return operating(planner, 'moveTasks', (ledger) => editTasks(ledger, { edits, added }));
}

export function removeTask(planner: Planner): Plan {
  const edits = [{ number: someTaskNumber(planner), to: undefined }];
  return operating(planner, 'removeTask', (ledger) => editTasks(ledger, { edits, added: [] }));
}

/** Plan of a verb. What it stores is taken as it is: its lists follow from it. */
const operating = (
  { organization }: Pick<Planner, 'organization'>,
  operation: string,
  verb: (ledger: Ledger) => Promise<unknown>,
): Plan => ({
  operation,
  organization,
  call: { verb },
  stages: once((change) => {
    change.observe({ movesUp: true });
  }),
  isInParts: true,
  check: () => undefined,
  checkRefusal: () => undefined,
});

/** Founds the organization with these teams. */
export const founding = (of: Pick<Planner, 'organization'>, names: readonly string[]): Plan =>
  operating(of, 'found', (ledger) => found(ledger, names));

export function addTeam(planner: Planner): Plan {
  const { draw } = planner;
  const name = `${draw.pick(['Team', 'TEAM', ...foreignWords])} ${draw.whole(1, 9)}`;
  return operating(planner, 'addTeam', (ledger) => storeTeam(ledger, name));
}

export function removeTeam(planner: Planner): Plan {
  const number = someNumber(planner, 'TEAM');
  return operating(planner, 'removeTeam', (ledger) => dropTeam(ledger, number));
}

export interface ReadableList {
  partition: string;
  collection: 'TASK' | 'EVENT';
  owner?: readonly [collection: 'TEAM' | 'TASK', number: number];
  /** True if the list can be read after its owner was removed. */
  mayBeGone?: true;
  /** Kind of item that stores the length of the list. */
  lengthIn: 'head' | 'record';
  read: (ledger: Ledger, query: PageQuery) => Promise<Page<Task | { id: number }>>;
}

/** Lists that these teams and tasks own, and the lists of the whole organization. */
export function readableLists(
  organization: OrganizationModel,
  of: { teams: readonly number[]; tasks: readonly number[] },
): ReadableList[] {
  const lists = partitions(organization);
  const team = (number: number) => ({ collection: teams, number });
  const task = (number: number) => ({ collection: tasks, number });
  const byHead = { collection: 'TASK', lengthIn: 'head' } as const;
  return [
    {
      ...byHead,
      partition: `ORG#${organization.code}#TASK`,
      read: (ledger, query) => ledger.page(tasks, query),
    },
    ...statuses.map((name) => ({
      ...byHead,
      partition: lists.status(name),
      read: (ledger: Ledger, query: PageQuery) => ledger.list(tasks, 'status', name, query),
    })),
    ...tags.map((name) => ({
      collection: 'TASK' as const,
      lengthIn: 'record' as const,
      partition: lists.tag(name),
      read: (ledger: Ledger, query: PageQuery) => ledger.list(tasks, 'tag', name, query),
    })),
    ...of.teams.flatMap((number): ReadableList[] => {
      const owned = { owner: ['TEAM', number], collection: 'TASK', lengthIn: 'record' } as const;
      return [
        {
          ...owned,
          partition: lists.team(number),
          mayBeGone: true,
          read: (ledger, query) => ledger.ownedList(team(number), tasks, 'team', query),
        },
        ...statuses.map((name) => ({
          ...owned,
          partition: lists.teamAndStatus(number, name),
          mayBeGone: true as const,
          read: (ledger: Ledger, query: PageQuery) =>
            ledger.ownedList(team(number), tasks, 'teamAndStatus', query, { name }),
        })),
        {
          ...owned,
          collection: 'EVENT',
          partition: lists.eventsOfTeam(number),
          read: (ledger, query) => pageOfOwner(teams, ledger.eventsOf(team(number), query)),
        },
      ];
    }),
    ...of.tasks.flatMap((number): ReadableList[] => {
      const owned = { owner: ['TASK', number], lengthIn: 'record' } as const;
      return [
        ...[undefined, ...tags].map((name) => ({
          ...owned,
          collection: 'TASK' as const,
          partition: lists.parts(number, name),
          read: (ledger: Ledger, query: PageQuery) =>
            pageOfOwner(tasks, ledger.ownedList(task(number), tasks, 'parts', query, { name })),
        })),
        {
          ...owned,
          collection: 'EVENT',
          partition: lists.eventsOfTask(number),
          read: (ledger, query) => pageOfOwner(tasks, ledger.eventsOf(task(number), query)),
        },
      ];
    }),
  ];
}

/** Minimum milliseconds for which a read retries before it returns an inconsistent list. */
const patienceOfReads = 250;

export interface ReadOptions {
  now: () => number;
  /** Called for a page that matches no version after all retries. */
  onGivenUp: () => void;
  /** True to read a long page of the first status. */
  isLong: boolean;
}

export function readList(planner: Planner, { now, onGivenUp, isLong }: ReadOptions): Plan {
  const { draw, organization } = planner;
  const all = readableLists(organization, {
    teams: [someNumber(planner, 'TEAM')],
    tasks: [someTaskNumber(planner)],
  });
  const ofStatus = partitions(organization).status(statuses[0] ?? '');
  const some = isLong ? all.find(({ partition }) => partition === ofStatus) : undefined;
  const { partition, collection, owner, lengthIn, mayBeGone, read } = some ?? draw.pick(all);
  const list = organization.list(partition);
  const query = isLong ? { page: draw.whole(1, 2), limit: 30 } : somePage(planner, list.count);
  return {
    operation: `read ${partition.replace(/^ORG#\w+#/, '')}`,
    organization,
    call: { verb: async (ledger) => shown(await read(ledger, query), query) },
    check: (body, window) => {
      const fromIndex = partition !== `ORG#${organization.code}#TASK`;
      try {
        checkPage(body, window, {
          ...{ list, collection, key: 'items', query, fromIndex },
          states: () => (lengthIn === 'head' ? window.statesByHead(list) : window.statesOwned(list, owner)),
        });
      } catch (error) {
        if (!(error instanceof Violation) || now() - window.since < patienceOfReads) throw error;
        onGivenUp();
      }
    },
    refusals: (window) => (owner && !mayBeGone && window.canMiss(...owner) ? [notFound] : []),
  };
}
