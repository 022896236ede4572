import * as v from 'valibot';
import type { Collection, Membership } from '../../../shared/ledger/index.ts';

/** A team, which owns lists of tasks. No two have one name. */
export const teams = {
  name: 'TEAM',
  label: 'team',
  schema: v.object({ id: v.number(), name: v.string() }),
  uniques: ({ name }: { name: string }) => [{ field: 'name', value: name }],
  eventListIndex: 0,
} as const satisfies Collection;

const Task = v.object({
  id: v.number(),
  /** The status that it shares with others; none for a task that is in no list of that kind. */
  status: v.nullable(v.string()),
  team: v.nullable(v.number()),
  /** The task that it is a part of. */
  parent: v.nullable(v.number()),
  /** Any text. */
  tag: v.nullable(v.string()),
  dueAt: v.nullable(v.string()),
  /** How often it was changed. */
  changes: v.number(),
});
export type Task = v.InferOutput<typeof Task>;

/** A task, which moves among lists of every kind that there is, and owns lists itself. */
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
