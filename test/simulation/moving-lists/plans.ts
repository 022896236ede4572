import type { Page, PageQuery } from '../../../shared/core/page.ts';
import type { Ledger, RecordRef } from '../../../shared/ledger/index.ts';
import type { Change } from '../run/model/change.ts';
import type { OrganizationModel } from '../run/model/organization-model.ts';
import { notFound, Refused } from '../run/model/refusal.ts';
import { foreignWords, takenIn } from '../run/model/uniques.ts';
import type { Window } from '../run/model/window.ts';
import { checkPage } from '../run/pages.ts';
import { once, type Plan } from '../run/plan.ts';
import { someNumber, somePage, type Planner } from '../run/planner.ts';
import { Violation } from '../run/violation.ts';
import {
  addTeam as storeTeam,
  joinsTeamLists,
  ownersOf,
  editTasks as storeEdits,
  pageOfOwner,
  removeTeam as dropTeam,
  shown,
  type Edit,
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
  return editing(planner, 'addTasks', { edits: [], added });
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
  return editing(planner, 'moveTasks', {
    edits,
    added: draw.happens(0.2) ? [someTask(planner)] : [],
  });
}

export function removeTask(planner: Planner): Plan {
  const edits = [{ number: someTaskNumber(planner), to: undefined }];
  return editing(planner, 'removeTask', { edits, added: [] });
}

interface Editing {
  edits: readonly Edit[];
  added: readonly NewTask[];
}

function editing({ organization }: Planner, operation: string, all: Editing): Plan {
  const { edits, added } = all;
  return {
    operation,
    organization,
    call: { verb: (ledger) => storeEdits(ledger, all) },
    stages: once((change) => {
      const pairs = edits.map(({ number, to, anew }) => {
        const before = change.get('TASK', number) as Task | undefined;
        if (!before) throw new Refused(notFound);
        return { number, anew, before, after: to && { ...before, ...to, changes: before.changes + 1 } };
      });
      for (const { before, after } of pairs) checkOwners(change, before, after);
      for (const task of added) checkOwners(change, undefined, { ...task, id: 0, changes: 0 });
      const stored: Task[] = [];
      for (const { number, before, after, anew } of pairs) {
        if (after) {
          const index = anew && ({ status: 'gsi1', tag: 'gsi4' } as const)[anew];
          change.replace('TASK', number, after, index);
          stored.push(after);
        } else change.remove('TASK', number);
        tell(change, number, before, after);
      }
      for (const task of added) {
        const number = change.next('TASK');
        const after = { ...task, id: number, changes: 0 };
        change.append('TASK', () => after);
        tell(change, number, undefined, after);
        stored.push(after);
      }
      return stored;
    }),
    refusals: (window) => refusalsOf(window, all),
  };
}

/** Records whose lists a task joins. */
const newOwners = (before: Task | undefined, after: Task | undefined) =>
  ownersOf(before, after).flatMap(([, { ref, isJoined }]) => (isJoined ? [ref] : []));

function checkOwners(change: Change, before: Task | undefined, after: Task | undefined): void {
  for (const { collection, number } of newOwners(before, after)) {
    if (!change.get(collection.name, number)) throw new Refused(notFound);
  }
}

function refusalsOf(window: Window, { edits, added }: Editing) {
  const missing = new Set<string>();
  const note = ({ collection: { name, label }, number }: RecordRef) => {
    if (window.canMiss(name, number)) missing.add(label);
  };
  for (const { number, to } of edits) {
    note({ collection: tasks, number });
    for (const before of window.present('TASK', number) as unknown as Task[]) {
      newOwners(before, to && { ...before, ...to }).forEach(note);
    }
  }
  for (const task of added) newOwners(undefined, { ...task, id: 0, changes: 0 }).forEach(note);
  return missing.size > 0 ? [notFound] : [];
}

function tell(change: Change, number: number, before: Task | undefined, after: Task | undefined): void {
  const lists = partitions(change.organization);
  const event = before ? (after ? 'TASK_CHANGED' : 'TASK_REMOVED') : 'TASK_ADDED';
  const team = after?.team ?? null;
  change.event(event, 'A task', number, [
    ...(after ? [['gsi2', lists.eventsOfTask(number)] as const] : []),
    ...(team !== null && joinsTeamLists(before, after) ? [['gsi1', lists.eventsOfTeam(team)] as const] : []),
  ]);
}

export const someTeamName = ({ draw }: Pick<Planner, 'draw'>) =>
  `${draw.pick(['Team', 'TEAM', ...foreignWords])} ${draw.whole(1, 9)}`;

export function addTeam(planner: Planner): Plan {
  const { organization } = planner;
  const name = someTeamName(planner);
  return {
    operation: 'addTeam',
    organization,
    call: { verb: (ledger) => storeTeam(ledger, name) },
    stages: once((change) => {
      const team = change.append('TEAM', (id) => ({ id, name }));
      const number = team['id'] as number;
      change.event('TEAM_ADDED', 'A team', number, [['gsi1', partitions(organization).eventsOfTeam(number)]]);
      return team;
    }),
    refusals: (window) => takenIn(window, 'TEAM', { name }),
  };
}

export function removeTeam(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'TEAM');
  return {
    operation: 'removeTeam',
    organization,
    call: { verb: (ledger) => dropTeam(ledger, number) },
    stages: once((change) => {
      if (!change.get('TEAM', number)) throw new Refused(notFound);
      change.remove('TEAM', number);
      change.event('TEAM_REMOVED', 'A team', number);
      return {};
    }),
    refusals: (window) => (window.canMiss('TEAM', number) ? [notFound] : []),
  };
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
