import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { everyFault } from '../behaviour.ts';
import { SimulatedDynamoDb, type Behaviour } from '../dynamodb.ts';
import { checkResponse } from '../run/response-check.ts';
import { checkCommit } from '../run/commit-check.ts';
import { Draw } from '../run/draw.ts';
import { Environment, Pool, type EnvironmentOptions } from '../run/environment.ts';
import { compareItems } from '../run/final-check.ts';
import type { Stored } from '../run/model/history.ts';
import { OrganizationModel } from '../run/model/organization-model.ts';
import { operate } from '../run/operators.ts';
import type { Plan } from '../run/plan.ts';
import type { Planner } from '../run/planner.ts';
import { same } from '../run/same.ts';
import { Violation } from '../run/violation.ts';
import { World } from '../run/world.ts';
import { ledgerTable } from '../simulated-table.ts';
import { VirtualTime } from '../virtual-time.ts';
import { beginAfter } from './begin-after.ts';
import {
  addTasks,
  addTeam,
  founding,
  moveTasks,
  partitions,
  readableLists,
  readList,
  removeTask,
  removeTeam,
  statuses,
  tags,
} from './plans.ts';
import { tasks, teams, type Task } from './tasks.ts';

export interface MovingLists {
  seed: number;
  /** Number of requests that writers and readers make in all. */
  requests: number;
  /** Number of concurrent clients. */
  clients: number;
  behaviour: Partial<Behaviour>;
  /** Probability that a function dies during a request. */
  deaths?: number;
  /** Approximate numbers of members that had joined a list and left it before the run: one for each list. */
  after?: readonly number[];
  /** One in this many members stayed in the list of all, and in the list of the first status. */
  oneStayedIn?: number;
  /** True if readers read only long pages of the first status. */
  readsLongPages?: boolean;
  /** Breaks each client, to prove that the checks notice it. */
  alter?: (client: DynamoDBClient) => DynamoDBClient;
}

export interface Outcome {
  violation: Violation | undefined;
  writes: number;
  reads: number;
  /** Number of reads answered with their last inconsistent state, after all retries. */
  givenUp: number;
}

const code = 'M0V1NG00' as OrganizationCode;
const firstTeams = ['Straße', 'One', 'Two'];

/**
 * Moves records among the lists of one organization, with many concurrent writers and readers. Replays the
 * writes in the order of the head's versions in a plain model, and compares everything with it. Equal seeds
 * give equal runs.
 */
export async function runMovingLists(options: MovingLists): Promise<Outcome> {
  const draw = new Draw(options.seed);
  const time = new VirtualTime();
  const database: SimulatedDynamoDb = new SimulatedDynamoDb({
    time,
    random: draw.random,
    table: ledgerTable,
    behaviour: options.behaviour,
    onCommit: (commit) => {
      try {
        checkCommit(world, commit);
      } catch (error) {
        world.fail(error);
      }
    },
  });
  const { indexLag, lateIndex, faults } = database.behaviour;
  const behind = Math.max(indexLag[1], lateIndex) + 1;
  const world = new World(time, database, behind);
  const organization = new OrganizationModel(code, 'AU', [tasks, teams]);
  world.organizations.set(code, organization);
  const environmentOptions: EnvironmentOptions = {
    ...{ time, database, draw, skew: 0, alter: options.alter ?? ((client) => client) },
    onCall: (request, _operation, input) => {
      if ('ClientRequestToken' in input) world.requestOf.set(String(input.ClientRequestToken), request);
    },
    onReply: () => undefined,
  };
  const pool = new Pool('function', options.clients, environmentOptions);
  const outcome: Outcome = { violation: undefined, writes: 0, reads: 0, givenUp: 0 };
  const deaths = options.deaths ?? 0;
  const serverErrors = deaths > 0 || Object.values(faults).some((chance) => chance > 0);

  const ask = async (plan: Plan, awaits = Infinity) => {
    const request = world.newRequest(plan);
    if (!('verb' in plan.call)) throw new Error('Every request of this run must be a verb');
    try {
      const response = await operate(world, pool, request, { verb: plan.call.verb, awaits });
      request.response = response;
      checkResponse(world, request, response, { serverErrors });
    } catch (error) {
      world.fail(error, request);
    } finally {
      world.running.delete(request);
    }
  };
  const settle = () => time.run(() => world.violation !== undefined || database.isIdle);

  const realFaults = { ...faults };
  Object.assign(faults, everyFault(0));
  await time.run(ask(founding({ organization }, firstTeams)));
  await settle();
  if (options.after !== undefined) {
    beginAfter(
      world,
      organization,
      pastOf(organization, options.after, options.oneStayedIn ?? Infinity, draw),
    );
    await time.run(time.sleep(behind + database.behaviour.staleness[1]));
  }
  world.noteShown();
  Object.assign(faults, realFaults);

  const planner: Planner = {
    ...{ draw, organization, organizations: [organization], hotness: 0.3, variety: 5, tokens: [] },
    tags: world.tags,
  };
  const read = () => {
    outcome.reads++;
    return readList(planner, {
      now: () => time.now,
      onGivenUp: () => outcome.givenUp++,
      isLong: options.readsLongPages ?? false,
    });
  };
  let asked = 0;
  const client = async () => {
    while (asked++ < options.requests && !world.violation) {
      const plan = draw.weighted(choices)?.(planner) ?? read();
      await ask(plan, draw.happens(deaths) ? draw.whole(1, 8) : Infinity);
      await time.sleep(draw.between(0, 40));
    }
  };
  await time.run(Promise.all(Array.from({ length: options.clients }, client)));
  Object.assign(faults, everyFault(0));
  await settle();
  // Calls that a function sent before it died may still be under way.
  await time.run(time.sleep(20_000));
  await settle();
  outcome.writes = database.stats.transactions.stored;
  if (!world.violation) {
    await time.run(checkAll(world, organization, environmentOptions)).catch((error: unknown) => {
      world.fail(error);
    });
  }
  outcome.violation = world.violation?.violation;
  return outcome;
}

/** Writes and their weights; undefined stands for reading a list. */
const choices: readonly (readonly [((planner: Planner) => Plan) | undefined, number])[] = [
  [undefined, 12],
  [addTasks, 4],
  [moveTasks, 9],
  [removeTask, 1.5],
  [addTeam, 0.3],
  [removeTeam, 0.15],
];

/** Lists that can exist from the start, except those of single tasks. */
function firstLists(organization: OrganizationModel): string[] {
  const lists = partitions(organization);
  const all = firstTeams.map((_, at) => at + 1);
  return [
    `ORG#${code}#TASK`,
    ...statuses.map(lists.status),
    ...tags.map(lists.tag),
    ...all.map(lists.team),
    ...all.flatMap((team) => statuses.map((status) => lists.teamAndStatus(team, status))),
  ];
}

/**
 * Makes up the past of the first lists: how many members had joined, and that one in `oneStayedIn` stayed.
 */
function pastOf(organization: OrganizationModel, after: readonly number[], oneStayedIn: number, draw: Draw) {
  const records = new Map<string, Stored>();
  const [status = ''] = statuses;
  const ofStatus = partitions(organization).status(status);
  const stayed = new Map<number, number>();
  for (let number = oneStayedIn; number < Math.min(...after) - 9; number += oneStayedIn) {
    const task: Task = { id: number, status, team: null, parent: null, tag: null, changes: 0 };
    const places = new Map([['gsi1', { list: ofStatus, rank: number }] as const]);
    records.set(organization.nameOf('TASK', number), { fields: task, listPositions: places });
    stayed.set(number, number);
  }
  const lists = firstLists(organization).map((list, at) => {
    const hasStayed = at === 0 || list === ofStatus;
    return [
      list,
      { joined: draw.pick(after) - draw.whole(0, 9), stayed: hasStayed ? stayed : new Map<number, number>() },
    ] as const;
  });
  return { records, lists: new Map(lists) };
}

/**
 * Checks every item and every page of every list, once everything has settled. @throws Violation
 */
async function checkAll(
  world: World,
  organization: OrganizationModel,
  environmentOptions: EnvironmentOptions,
): Promise<void> {
  const { problems } = world.database;
  if (problems.length > 0) {
    throw new Violation(
      'Every call must be one that the simulation can carry out',
      'no problem',
      problems.slice(0, 5),
    );
  }
  compareItems(world);
  const reader = new Environment('reader', environmentOptions);
  const plan: Plan = { operation: 'final check', organization, call: { verb: () => Promise.resolve() } };
  const ended = await reader.run(world.newRequest(plan), Infinity, async () => {
    await checkLists(organization, reader);
  });
  if (ended.is === 'error') throw ended.error;
}

async function checkLists(organization: OrganizationModel, { store, system }: Environment): Promise<void> {
  const numbersOf = (collection: string) =>
    Array.from({ length: organization.lastOf(collection) }, (_, at) => at + 1).filter(
      (number) => organization.record(collection, number) !== undefined,
    );
  // Removed teams too: their lists continue.
  const teams = Array.from({ length: organization.lastOf('TEAM') }, (_, at) => at + 1);
  const all = readableLists(organization, { teams, tasks: numbersOf('TASK') }).filter(
    ({ owner, mayBeGone }) => mayBeGone ?? (!owner || organization.record(...owner)),
  );
  for (const { partition, read } of all) {
    const list = organization.list(partition);
    for (const limit of [7, 100]) {
      for (let page = 1; page <= Math.ceil(list.count / limit) + 1; page++) {
        const limits = { deadline: system.now() + 5000, capacity: newConsumedCapacity() };
        const ledger = store.ledgerOf({ organization: code, userId: organization.ownerId, ...limits });
        const { items, totalCount } = await read(ledger, { page, limit });
        const observed = { totalCount, numbers: items.map(({ id }) => id) };
        const expected = {
          totalCount: list.count,
          numbers: list.pageAt(organization.version, { page, limit }),
        };
        if (!same(observed, expected)) {
          throw new Violation(
            `Page ${page} by ${limit} of ${partition} must equal the model in the end`,
            expected,
            observed,
          );
        }
      }
    }
  }
}
