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
export async function runEpisode(options: EpisodeOptions): Promise<EpisodeResult> {
  const episode = new Episode(options);
  const clients = await episode.found();
  await episode.serve(clients);
  await episode.serveLater(clients);
  await episode.finish();
  await episode.checkEnd(clients);
  episode.count();
  return episode.result;
}

/** The parts of an episode, and its steps in order. */
class Episode {
  readonly #options: EpisodeOptions;
  readonly #draw: Draw;
  readonly #conditions: Conditions;
  readonly #time = new VirtualTime();
  readonly #digest = new Digest();
  readonly #database: SimulatedDynamoDb;
  readonly #world: World;
  readonly #environments: EnvironmentOptions;
  readonly #pools: Record<'functions' | 'operators' | 'workers' | 'webhooks', Pool>;
  readonly #gateway: Gateway;
  readonly #sms: SmsTraffic;
  readonly #webhooks: WebhookTraffic;
  #callCount = 0;
  /** Virtual time at which the current step must have settled. */
  #until = 0;

  constructor(options: EpisodeOptions) {
    const { seed, breakage, figures, fixed } = options;
    this.#options = options;
    const draw = (this.#draw = new Draw(seed));
    const conditions = (this.#conditions = { ...conditionsFor(draw, breakage), ...fixed });
    const time = this.#time;
    time.now = conditions.startsAt;
    followTime(time);
    this.#database = this.#newDatabase();
    const { lateIndex, indexLag } = this.#database.behaviour;
    const world = (this.#world = new World(time, this.#database, Math.max(lateIndex, indexLag[1]) + 1));
    world.isSlow = conditions.isSlow;
    this.#environments = this.#environmentOptions();
    const pools = (this.#pools = {
      functions: new Pool('function', conditions.environments, this.#environments),
      operators: new Pool('operator', conditions.operators, this.#environments),
      workers: new Pool('worker', maxConcurrency, this.#environments),
      webhooks: new Pool('webhooks', webhookEnvironments, this.#environments),
    });
    const awaitsOf = this.#awaitsOf;
    this.#gateway = new Gateway({
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
    this.#sms = new SmsTraffic({
      world,
      draw,
      conditions,
      pool: pools.workers,
      breakage,
      awaitsOf,
      figures,
    });
    this.#webhooks = new WebhookTraffic({ world, draw, pool: pools.webhooks, awaitsOf });
  }

  get result(): EpisodeResult {
    return { conditions: this.#conditions, world: this.#world, digest: this.#digest.text };
  }

  /** Founds the organizations, without faults. */
  async found(): Promise<Clients> {
    const [world, draw, conditions, pools] = [this.#world, this.#draw, this.#conditions, this.#pools];
    const tokens = await this.#time.run(foundAll(world, this.#environments, conditions.organizations));
    await this.#time.run(prepare(world, pools.operators, { draw, tokens }));
    await this.#settleTable();
    Object.assign(this.#database.behaviour.faults, conditions.behaviour.faults);
    const publish = (plan: Plan) => {
      this.#sms.publish(plan);
    };
    const { figures } = this.#options;
    return new Clients({
      world,
      conditions,
      draw,
      gateway: this.#gateway,
      pools,
      tokens,
      publish,
      figures,
      awaitsOf: this.#awaitsOf,
      digest: this.#digest,
    });
  }

  /** Lets clients send requests, until all calls are made and the code beside the clients is done. */
  async serve(clients: Clients): Promise<void> {
    const { beside } = this.#options;
    const world = this.#world;
    clients.begin();
    let isBesideDone = beside === undefined;
    void beside?.(world)
      .catch((error: unknown) => {
        world.fail(error);
      })
      .finally(() => {
        isBesideDone = true;
      });
    const isDone = () => this.#callCount >= this.#conditions.calls && isBesideDone;
    await this.#time.run(() => world.violation !== undefined || isDone());
    clients.stop();
    this.#startSettling();
    await this.#time.run(() => clients.isDone || this.#isOver);
  }

  /** Lets requests with a key come again after hours. */
  async serveLater(clients: Clients): Promise<void> {
    const time = this.#time;
    for (const hours of hoursBetween) {
      if (this.#isOver) break;
      await time.run(time.sleep(hours * 3_600_000));
      this.#startSettling();
      let areBack = false;
      void clients.comeAgain().then(() => {
        areBack = true;
      });
      await time.run(() => areBack || this.#isOver);
    }
  }

  /** Lets queues, webhooks and indexes end their work, without faults. */
  async finish(): Promise<void> {
    const time = this.#time;
    this.#database.behaviour.faults = everyFault(0);
    this.#startSettling();
    if (this.#world.violation) return;
    await time.run(giveBackNumbers(this.#world, this.#pools.operators));
    this.#sms.redrive();
    await time.run(() => this.#sms.isDone || this.#isOver);
    await time.run(this.#webhooks.settle());
    await this.#settleTable();
  }

  /** Checks what is stored, and that nothing is left. */
  async checkEnd(clients: Clients): Promise<void> {
    const world = this.#world;
    if (!world.violation) {
      world.noteShown();
      await this.#time.run(checkStored(world)).catch((error: unknown) => {
        world.fail(error);
      });
      this.#guard(() => {
        checkFinalSms(world, this.#sms.notifications);
        this.#webhooks.receipts.checkAllArrived();
        this.#webhooks.receipts.checkNothingLeft();
      });
    }
    if (!world.violation && !(clients.isDone && this.#sms.isDone)) {
      world.fail(new Violation('Every request must end', 0, world.running.size));
    }
  }

  /** Adds the episode to the figures. */
  count(): void {
    const { figures } = this.#options;
    const { stored, refused } = this.#database.stats.transactions;
    figures.episodes++;
    figures.calls += this.#callCount;
    figures.commits += stored;
    figures.conflicts += refused['TransactionConflict'] ?? 0;
    figures.refusals += refused['ConditionalCheckFailed'] ?? 0;
    for (const { deaths } of Object.values(this.#pools)) figures.deaths += deaths;
    figures.sms += this.#sms.provider.count;
    figures.notifications += this.#sms.notifications.length;
    figures.redeliveries += this.#sms.stats.again;
    figures.deadLetters += this.#sms.stats.dead;
    figures.posts += this.#webhooks.receipts.count;
    figures.givenUp += this.#webhooks.givenUp;
  }

  #newDatabase(): SimulatedDynamoDb {
    return new SimulatedDynamoDb({
      time: this.#time,
      random: this.#draw.random,
      table: ledgerTable,
      behaviour: { ...this.#conditions.behaviour, faults: everyFault(0) },
      onCommit: (commit) => {
        const world = this.#world;
        this.#guard(
          () => {
            checkCommit(world, commit);
          },
          world.requestOf.get(commit.token ?? ''),
        );
        this.#webhooks.onCommit(commit);
      },
      faultOf: (operation, input) =>
        operation === 'UpdateItem'
          ? this.#webhooks.faultOf(input, this.#database.behaviour.faults)
          : undefined,
    });
  }

  #environmentOptions(): EnvironmentOptions {
    const [time, digest] = [this.#time, this.#digest];
    return {
      time,
      database: this.#database,
      draw: this.#draw,
      skew: this.#conditions.skew,
      alter: (client) => breakClient(client, this.#options.breakage, time),
      onCall: (request, operation, input) => {
        this.#callCount++;
        if ('ClientRequestToken' in input)
          this.#world.requestOf.set(String(input.ClientRequestToken), request);
        digest.add(`${time.now} ${request.number} ${operation}`);
      },
      onReply: (request, operation, reply) => {
        digest.add(`${time.now} ${request.number} ${operation} ${sketchOf(reply)}`);
      },
    };
  }

  /** Number of awaits that the next invocation survives. */
  readonly #awaitsOf = () =>
    this.#draw.happens(this.#conditions.deaths) ? this.#draw.whole(1, 8) : Infinity;

  #startSettling(): void {
    this.#until = this.#time.now + settlingTime;
  }

  get #isOver(): boolean {
    return this.#world.violation !== undefined || this.#time.now > this.#until;
  }

  async #settleTable(): Promise<void> {
    const database = this.#database;
    if (!database.isIdle) await this.#time.run(() => this.#world.violation !== undefined || database.isIdle);
  }

  #guard(check: () => void, request?: Request): void {
    try {
      check();
    } catch (error) {
      this.#world.fail(error, request);
    }
  }
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
