import { everyFault } from '../behaviour.ts';
import { SimulatedDynamoDb } from '../dynamodb.ts';
import { ledgerTable } from '../simulated-table.ts';
import { VirtualTime } from '../virtual-time.ts';
import { checkAuthorization } from './authorization-check.ts';
import { breakClient, conditionsOf, type Breakage } from './breakages.ts';
import { Clients } from './clients.ts';
import { checkCommit } from './commit-check.ts';
import { Draw } from './draw.ts';
import { Pool, type EnvironmentOptions } from './environment.ts';
import { checkFinalSms, checkStored } from './final-check.ts';
import { Gateway } from './gateway.ts';
import { someMixOf, type Mix } from './mix.ts';
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
  conditions?: Partial<Mix>;
}

export interface EpisodeResult {
  mix: Mix;
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
  conditions,
}: EpisodeOptions): Promise<EpisodeResult> {
  const draw = new Draw(seed);
  const mix = { ...mixFor(draw, breakage), ...conditions };
  const time = new VirtualTime();
  time.now = mix.startsAt;
  followTime(time);
  const digest = new Digest();
  const database: SimulatedDynamoDb = new SimulatedDynamoDb({
    time,
    random: draw.random,
    table: ledgerTable,
    behaviour: { ...mix.behaviour, faults: everyFault(0) },
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
  world.isSlow = mix.isSlow;
  let callCount = 0;
  const environmentOptions: EnvironmentOptions = {
    time,
    database,
    draw,
    skew: mix.skew,
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
    functions: new Pool('function', mix.environments, environmentOptions),
    operators: new Pool('operator', mix.operators, environmentOptions),
    workers: new Pool('worker', maxConcurrency, environmentOptions),
    webhooks: new Pool('webhooks', webhookEnvironments, environmentOptions),
  };
  const awaitsOf = () => (draw.happens(mix.deaths) ? draw.whole(1, 8) : Infinity);
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
    ...{ world, draw, mix, pool: pools.workers, breakage, awaitsOf, figures },
  });
  const webhooks = new WebhookTraffic({ world, draw, pool: pools.webhooks, awaitsOf });
  const tokens = await time.run(foundAll(world, environmentOptions, mix.organizations));
  await time.run(prepare(world, pools.operators, { draw, tokens }));
  await settle(world);
  Object.assign(database.behaviour.faults, mix.behaviour.faults);
  const publish = (plan: Plan) => {
    traffic.publish(plan);
  };
  const clients = new Clients({
    world,
    mix,
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
  await time.run(() => world.violation !== undefined || (callCount >= mix.calls && isBesideDone));
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
  return { mix, world, digest: digest.text };
}

/**
 * Maximum number of calls in an episode with a breakage. A breakage shows soon, or only under other
 * conditions.
 */
const brokenCalls = 4000;

function mixFor(draw: Draw, breakage: Breakage | undefined): Mix {
  const mix = someMixOf(draw, breakage === 'new-token' || breakage === 'lost-reply');
  if (breakage === undefined) return mix;
  return { ...mix, calls: Math.min(mix.calls, brokenCalls), ...conditionsOf[breakage] };
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
