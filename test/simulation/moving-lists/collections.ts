import * as v from 'valibot';
import type { Collection, Membership } from '../../../shared/ledger/index.ts';

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
  dueAt: v.nullable(v.string()),
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
  due: ({ dueAt }: Task) => (dueAt === null ? undefined : { worker: 'remind', at: dueAt }),
} as const satisfies Collection;
