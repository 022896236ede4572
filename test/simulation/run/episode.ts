import { everyFault } from '../behaviour.ts';
import { SimulatedDynamoDb } from '../dynamodb.ts';
import { ledgerTable } from '../simulated-table.ts';
import { VirtualTime } from '../virtual-time.ts';
import { checkAuthorization } from './authorization-check.ts';
import { breakClient, conditionsThatShow, type Breakage } from './breakages.ts';
import { Clients } from './clients.ts';
import { checkCommit } from './commit-check.ts';
import { Draw } from './draw.ts';
import { Pool, type EnvironmentOptions } from './environment.ts';
import { checkFinalSms, checkStored } from './final-check.ts';
import { Gateway } from './gateway.ts';
import { someConditions, type Conditions } from './conditions.ts';
import { foundAll, giveBackNumbers, prepare } from './operators.ts';
import type { Plan, Request } from './plan.ts';
import { followTime } from './process-clock.ts';
import { Digest, type Figures } from './report.ts';
import { maxConcurrency, SmsTraffic } from './sms-traffic.ts';
import { Violation } from './violation.ts';
import { WebhookTraffic } from './webhook-traffic.ts';
import { World } from './world.ts';

export interface EpisodeOptions {
  seed: number;
  breakage?: Breakage | undefined;
  figures: Figures;
  /**
   * Code that runs beside the clients from their start, like an operator's command. `OrganizationModel.storedAt` and
   * `headListsAt` give the state at any version.
   */
  beside?: ((world: World) => Promise<void>) | undefined;
  /** Conditions that replace random ones. */
  fixed?: Partial<Conditions>;
}

export interface EpisodeResult {
  conditions: Conditions;
  world: World;
  /** Hash over all calls and responses. */
  digest: string;
}

/** Hours after which requests with a key come again: before the service has forgotten them, and after. */
const hoursBetween = [23, 2];

/** Number of environments that send webhooks. */
const webhookEnvironments = 6;

/** Maximum virtual milliseconds for an episode to settle after the clients stop. */
const settlingTime = 300_000;

/** Runs one episode. Equal seeds give equal episodes. A violation goes to `world.violation`. */
export async function runEpisode({
  seed,
  breakage,
  figures,
  beside,
  fixed,
}: EpisodeOptions): Promise<EpisodeResult> {
  const draw = new Draw(seed);
  const conditions = { ...conditionsFor(draw, breakage), ...fixed };
  const time = new VirtualTime();
  time.now = conditions.startsAt;
  followTime(time);
  const digest = new Digest();
  const database: SimulatedDynamoDb = new SimulatedDynamoDb({
    time,
    random: draw.random,
    table: ledgerTable,
    behaviour: { ...conditions.behaviour, faults: everyFault(0) },
    onCommit: (commit) => {
      guarded(
        world,
        () => {
          checkCommit(world, commit);
        },
        world.requestOf.get(commit.token ?? ''),
      );
      webhooks.onCommit(commit);
    },
    faultOf: (operation, input) =>
      operation === 'UpdateItem' ? webhooks.faultOf(input, database.behaviour.faults) : undefined,
  });
  const { lateIndex, indexLag } = database.behaviour;
  const world = new World(time, database, Math.max(lateIndex, indexLag[1]) + 1);
  world.isSlow = conditions.isSlow;
  let callCount = 0;
  const environmentOptions: EnvironmentOptions = {
    time,
    database,
    draw,
    skew: conditions.skew,
    alter: (client) => breakClient(client, breakage, time),
    onCall: (request, operation, input) => {
      callCount++;
      if ('ClientRequestToken' in input) world.requestOf.set(String(input.ClientRequestToken), request);
      digest.add(`${time.now} ${request.number} ${operation}`);
    },
    onReply: (request, operation, reply) => {
      digest.add(`${time.now} ${request.number} ${operation} ${sketchOf(reply)}`);
    },
  };
  const pools = {
    functions: new Pool('function', conditions.environments, environmentOptions),
    operators: new Pool('operator', conditions.operators, environmentOptions),
    workers: new Pool('worker', maxConcurrency, environmentOptions),
    webhooks: new Pool('webhooks', webhookEnvironments, environmentOptions),
  };
  const awaitsOf = () => (draw.happens(conditions.deaths) ? draw.whole(1, 8) : Infinity);
  const gateway = new Gateway({
    time,
    pool: pools.functions,
    breakage,
    awaitsOf,
    onStart: (request, environment) => {
      world.start(request, environment.skew);
    },
    onAuthorized: (request, credential, authorization) => {
      checkAuthorization(world, request, credential, authorization);
    },
  });
  const traffic = new SmsTraffic({
    ...{ world, draw, conditions, pool: pools.workers, breakage, awaitsOf, figures },
  });
  const webhooks = new WebhookTraffic({ world, draw, pool: pools.webhooks, awaitsOf });
  const tokens = await time.run(foundAll(world, environmentOptions, conditions.organizations));
  await time.run(prepare(world, pools.operators, { draw, tokens }));
  await settle(world);
  Object.assign(database.behaviour.faults, conditions.behaviour.faults);
  const publish = (plan: Plan) => {
    traffic.publish(plan);
  };
  const clients = new Clients({
    world,
    conditions,
    draw,
    gateway,
    pools,
    tokens,
    publish,
    awaitsOf,
    digest,
    figures,
  });
  clients.begin();
  let isBesideDone = beside === undefined;
  void beside?.(world)
    .catch((error: unknown) => {
      world.fail(error);
    })
    .finally(() => {
      isBesideDone = true;
    });
  await time.run(() => world.violation !== undefined || (callCount >= conditions.calls && isBesideDone));
  clients.stop();
  let until = time.now + settlingTime;
  const isOver = () => world.violation !== undefined || time.now > until;
  await time.run(() => clients.isDone || isOver());
  for (const hours of hoursBetween) {
    if (isOver()) break;
    await time.run(time.sleep(hours * 3_600_000));
    until = time.now + settlingTime;
    let areBack = false;
    void clients.comeAgain().then(() => {
      areBack = true;
    });
    await time.run(() => areBack || isOver());
  }
  database.behaviour.faults = everyFault(0);
  until = time.now + settlingTime;
  if (!world.violation) {
    await time.run(giveBackNumbers(world, pools.operators));
    traffic.redrive();
    await time.run(() => traffic.isDone || isOver());
    await time.run(webhooks.settle());
    await settle(world);
  }
  if (!world.violation) {
    world.noteShown();
    await time.run(checkStored(world)).catch((error: unknown) => {
      world.fail(error);
    });
    guarded(world, () => {
      checkFinalSms(world, traffic.notifications);
      webhooks.receipts.checkAllArrived();
      webhooks.receipts.checkNothingLeft();
    });
  }
  if (!world.violation && !(clients.isDone && traffic.isDone)) {
    world.fail(new Violation('Every request must end', 0, world.running.size));
  }
  count(figures, { database, callCount, pools, traffic, webhooks });
  return { conditions, world, digest: digest.text };
}

/**
 * Maximum number of calls in an episode with a breakage. A breakage shows soon, or only under other
 * conditions.
 */
const brokenCalls = 4000;

function conditionsFor(draw: Draw, breakage: Breakage | undefined): Conditions {
  const conditions = someConditions(draw, breakage === 'new-token' || breakage === 'lost-reply');
  if (breakage === undefined) return conditions;
  return { ...conditions, calls: Math.min(conditions.calls, brokenCalls), ...conditionsThatShow[breakage] };
}

async function settle(world: World): Promise<void> {
  const { database, time } = world;
  if (!database.isIdle) await time.run(() => world.violation !== undefined || database.isIdle);
}

function guarded(world: World, check: () => void, request?: Request): void {
  try {
    check();
  } catch (error) {
    world.fail(error, request);
  }
}

interface Reply {
  Item?: Record<string, unknown>;
  Items?: unknown[];
  Responses?: unknown;
}

/** Short description of a reply that distinguishes most replies at little cost. */
function sketchOf(reply: object): string {
  if (reply instanceof Error) return reply.name;
  const { Item, Items, Responses } = reply as Reply;
  if (Item) return `${String(Item['version'])} ${String(Item['revision'])}`;
  return Items ? String(Items.length) : Responses ? '+' : '';
}

function count(
  figures: Figures,
  {
    database,
    callCount,
    pools,
    traffic,
    webhooks,
  }: {
    database: SimulatedDynamoDb;
    callCount: number;
    pools: Record<'functions' | 'operators' | 'workers' | 'webhooks', Pool>;
    traffic: SmsTraffic;
    webhooks: WebhookTraffic;
  },
): void {
  const { stored, refused } = database.stats.transactions;
  figures.episodes++;
  figures.calls += callCount;
  figures.commits += stored;
  figures.conflicts += refused['TransactionConflict'] ?? 0;
  figures.refusals += refused['ConditionalCheckFailed'] ?? 0;
  figures.deaths +=
    pools.functions.deaths + pools.operators.deaths + pools.workers.deaths + pools.webhooks.deaths;
  figures.sms += traffic.provider.count;
  figures.notifications += traffic.notifications.length;
  figures.redeliveries += traffic.stats.again;
  figures.deadLetters += traffic.stats.dead;
  figures.posts += webhooks.receipts.count;
  figures.givenUp += webhooks.givenUp;
}
