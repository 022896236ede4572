import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { notFound } from '../../../shared/core/failure.ts';
import type { Page, PageQuery } from '../../../shared/core/page.ts';
import type {
  Collection,
  Ledger,
  ListKind,
  Membership,
  RecordRef,
  Write,
} from '../../../shared/ledger/index.ts';
/** A team, which owns lists of tasks. Names are unique. */
export const teams = {
  name: 'TEAM',
  label: 'team',
  schema: v.object({ id: v.number(), name: v.string() }),
  uniques: ({ name }: { name: string }) => [{ field: 'name', value: name }],
  eventListIndex: 0,
} as const satisfies Collection;

const Task = v.object({
  id: v.number(),
  /** Status of the task; null for a task in no list of that kind. */
  status: v.nullable(v.string()),
  team: v.nullable(v.number()),
  /** Number of the parent task. */
  parent: v.nullable(v.number()),
  tag: v.nullable(v.string()),
  /** Number of changes so far. */
  changes: v.number(),
});
export type Task = v.InferOutput<typeof Task>;

/** A task. It moves among lists of every kind, and owns lists itself. */
export const tasks = {
  name: 'TASK',
  label: 'task',
  schema: Task,
  lists: {
    status: { of: ({ status }: Task) => (status === null ? undefined : { name: status }) },
    team: {
      of: ({ team }: Task) => (team === null ? undefined : { owner: { collection: teams, id: team } }),
    },
    teamAndStatus: {
      of: ({ team, status }: Task) =>
        team === null || status === null
          ? undefined
          : { owner: { collection: teams, id: team }, name: status },
    },
    tag: { of: ({ tag }: Task) => (tag === null ? undefined : { name: tag }), hasManyNames: true },
    parts: {
      of: ({ parent, tag }: Task): Membership | undefined =>
        parent === null
          ? undefined
          : { owner: { collection: tasks, id: parent }, ...(tag !== null && { name: tag }) },
      hasManyNames: true,
    },
  },
  eventListIndex: 1,
} as const satisfies Collection;

export type NewTask = Omit<Task, 'id' | 'changes'>;

/** Changes of an existing task; `to` is undefined for its removal. */
export interface Edit {
  number: number;
  to: Partial<NewTask> | undefined;
  /** Kind of list in which the task becomes the newest; undefined leaves its rank. */
  anew?: 'status' | 'tag' | undefined;
}

/** Another writer moved a task between the read that determines the owners and the write. */
class OwnersChanged extends Error {}

const taskRef = (number: number) => ({ collection: tasks, number });
const teamRef = (number: number) => ({ collection: teams, number });

/** Lists that other records own and this task is in, by kind. */
const ownedLists = (task: Task | undefined): Map<string, Required<Pick<Membership, 'owner'>> & Membership> =>
  new Map(
    Object.entries(tasks.lists).flatMap(([kind, { of }]) => {
      const membership: Membership | undefined = task && of(task);
      return membership?.owner ? [[kind, { ...membership, owner: membership.owner }]] : [];
    }),
  );

/** A record whose lists change, and how a write must read it. */
interface Owner {
  ref: RecordRef;
  /** True if a task joins one of its lists, so the record must exist. */
  isJoined: boolean;
  /** True if the record stores the state of such a list, so the record changes. */
  keepsState: boolean;
}

/** Records whose lists change when a task changes, by name. */
function ownersOf(before: Task | undefined, after: Task | undefined): [name: string, owner: Owner][] {
  const [from, to] = [ownedLists(before), ownedLists(after)];
  return Object.entries(tasks.lists).flatMap(([kind, { hasManyNames }]: [string, ListKind]) => {
    const [left, joined] = [from.get(kind), to.get(kind)];
    if (isDeepStrictEqual(left, joined)) return [];
    return [left, joined].flatMap((list): [string, Owner][] => {
      if (!list) return [];
      const { collection, id } = list.owner;
      const ref = { collection, number: Number(id) };
      return [[`${collection.name} ${id}`, { ref, isJoined: list === joined, keepsState: !hasManyNames }]];
    });
  });
}

const merged = (task: Task, to: Partial<NewTask> | undefined): Task | undefined =>
  to && { ...task, ...to, changes: task.changes + 1 };

/** True if a task joins a list of its team, which must then exist. */
function joinsTeamLists(before: Task | undefined, after: Task | undefined): boolean {
  if (typeof after?.team !== 'number') return false;
  return before?.team !== after.team || (after.status !== null && before.status !== after.status);
}

/**
 * Changes, moves, removes and adds tasks in one transaction. Returns the stored tasks. @throws Failure
 * `notFound` for a task, or for a record that is to own it
 */
export async function editTasks(
  ledger: Ledger,
  { edits, added }: { edits: readonly Edit[]; added: readonly NewTask[] },
): Promise<Task[]> {
  for (;;) {
    const observed = await ledger.getMany(
      tasks,
      edits.map(({ number }) => number),
    );
    const pairs = [
      ...edits.map(({ number, to }) => {
        const before = observed.get(number);
        if (!before) throw notFound(tasks.label);
        return { before, after: merged(before, to) };
      }),
      ...added.map((task) => ({ before: undefined, after: { ...task, id: 0, changes: 0 } })),
    ];
    const reading = readsOf(
      edits,
      pairs.flatMap(({ before, after }) => ownersOf(before, after)),
    );
    try {
      return await ledger.write(reading, async (write, records) => {
        const read = records as Record<string, unknown>;
        for (const ref of reading.gone(read)) await write.readFormer(ref);
        return store(write, read, { edits, added }, observed);
      });
    } catch (error) {
      if (!(error instanceof OwnersChanged)) throw error;
    }
  }
}

type Wanted = RecordRef | { ref: RecordRef; mayBeAbsent: true };

/** References to the tasks, and to the records that own the lists which the tasks leave or join. */
function readsOf(edits: readonly Edit[], owners: readonly (readonly [name: string, owner: Owner])[]) {
  const change: Record<string, Wanted> = {};
  const check: Record<string, Wanted> = {};
  for (const { number } of edits) change[`TASK ${number}`] = taskRef(number);
  for (const [name, { ref }] of owners) {
    const all = owners.filter(([other]) => other === name).map(([, owner]) => owner);
    if (name in change) continue;
    const isJoined = all.some((owner) => owner.isJoined);
    if (all.some((owner) => owner.keepsState)) change[name] = isJoined ? ref : { ref, mayBeAbsent: true };
    else if (isJoined) check[name] = ref;
  }
  // A removed owner's remaining item stores the state of the lists that its tasks leave.
  const gone = (read: Record<string, unknown>): RecordRef[] =>
    owners.flatMap(([name, { ref, keepsState }]) => (keepsState && read[name] === undefined ? [ref] : []));
  return { change, check, gone };
}

function store(
  write: Write,
  records: Record<string, unknown>,
  { edits, added }: { edits: readonly Edit[]; added: readonly NewTask[] },
  observed: ReadonlyMap<number, Task>,
): Task[] {
  const stored: Task[] = [];
  for (const { number, to, anew } of edits) {
    const record = records[`TASK ${number}`] as Task;
    if (!isDeepStrictEqual(ownedLists(record), ownedLists(observed.get(number)))) throw new OwnersChanged();
    const after = merged(record, to);
    if (after) {
      write.replace(taskRef(number), after, anew && { newestIn: anew });
      tell(write, taskRef(number), { before: record, after });
      stored.push(after);
    } else {
      write.remove(taskRef(number));
      tell(write, undefined, { before: record, after });
    }
  }
  for (const task of added) {
    const { ref, record } = write.append(tasks, ({ number }) => ({ ...task, id: number, changes: 0 }));
    tell(write, ref, { before: undefined, after: record });
    stored.push(record);
  }
  return stored;
}

/**
 * Appends the event of a task's change, also to its team's list of events if the task joins a list of the
 * team.
 */
function tell(
  write: Write,
  ref: RecordRef<typeof tasks> | undefined,
  { before, after }: { before: Task | undefined; after: Task | undefined },
): void {
  const event = before ? (after ? 'TASK_CHANGED' : 'TASK_REMOVED') : 'TASK_ADDED';
  const team = after?.team ?? null;
  write.event({ event, data: 'A task', referenceId: String((after ?? before)?.id) }, [
    ...(ref ? [ref] : []),
    ...(team !== null && joinsTeamLists(before, after) ? [teamRef(team)] : []),
  ]);
}

/** @throws Failure `conflict` if another team has the name */
export const addTeam = (ledger: Ledger, name: string) =>
  ledger.write({}, (write) => {
    const { ref, record } = write.append(teams, ({ number }) => ({ id: number, name }));
    write.event({ event: 'TEAM_ADDED', data: 'A team', referenceId: String(record.id) }, [ref]);
    return record;
  });

/** Removes a team and leaves its tasks unchanged. @throws Failure `notFound` */
export const removeTeam = (ledger: Ledger, number: number): Promise<Record<string, never>> =>
  ledger.write({ change: { team: teamRef(number) } }, (write) => {
    write.remove(teamRef(number));
    write.event({ event: 'TEAM_REMOVED', data: 'A team', referenceId: String(number) });
    return {};
  });

/** Founds an organization with teams of these names. */
export const found = (ledger: Ledger, names: readonly string[]): Promise<Record<string, never>> =>
  ledger.found('AU', (write) => {
    for (const name of names) write.append(teams, ({ number }) => ({ id: number, name }));
    write.event({ event: 'FOUNDED', data: 'An organization', referenceId: '1' });
    return {};
  });

/** Reads a page of a list that a record owns. @throws Failure `notFound` for the record */
export async function pageOfOwner<R>(
  { label }: Collection,
  reading: Promise<Page<R> & { owner: unknown }>,
): Promise<Page<R>> {
  const { owner, ...page } = await reading;
  if (owner === undefined) throw notFound(label);
  return page;
}

/** A page in the API's format. */
export const shown = ({ items, totalCount }: Page<unknown>, { page, limit }: PageQuery) => ({
  items,
  totalCount,
  totalPages: Math.ceil(totalCount / limit),
  currentPage: page,
});
