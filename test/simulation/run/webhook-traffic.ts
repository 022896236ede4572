import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBStreamEvent, EventBridgeEvent, SQSEvent } from 'aws-lambda';
import type { QueueWebhooks, WebhookMessage } from '../../../shared/domain/webhooks/message.ts';
import { groupOf } from '../../../shared/domain/webhooks/message.ts';
import type { Posted, PostWebhook } from '../../../shared/domain/webhooks/receiver.ts';
import { sortable } from '../../../shared/ledger/internal/keys.ts';
import type { Fault } from '../behaviour.ts';
import type { Commit } from '../dynamodb.ts';
import type { Draw } from './draw.ts';
import type { Ended, Pool } from './environment.ts';
import { FifoQueue, type FifoOutcome } from './fifo-queue.ts';
import { functions } from './functions.ts';
import type { Invocation } from './invocation.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import { Refused } from './model/refusal.ts';
import { once, type Plan, type Request } from './plan.ts';
import { serveWebhooks } from './outside.ts';
import { Receipts } from './webhook-check.ts';
import type { World } from './world.ts';

interface Parts {
  world: World;
  draw: Draw;
  /** Environments of the dispatcher, the sweeper and the sender. */
  pool: Pool;
  awaitsOf: () => number;
}

/** Lanes of an organization: so few that webhooks share one. */
const lanes = 2;

/** Milliseconds between the sweeper's runs. */
const sweepTime = 60_000;

/** Virtual hours that the last retries take at most. */
const longestWait = 30 * 3_600_000;

/** Probabilities of what happens to a record of the stream. */
const lostRecords = 0.15;
const repeatedRecords = 0.15;

/** Probability that a request to store an answer about a lead is delayed, if some requests are delayed. */
const lateAnswers = 0.4;

/** Probability that a write of a cursor is delayed in a slow episode. */
const lateCursors = 0.1;

/**
 * The way of webhooks: the table's stream, the dispatcher, the FIFO queue, the sweeper, the sender, and receivers.
 * Records of the stream come late, twice, in any order or not at all. The real functions do the work, and die at any
 * await.
 */
export class WebhookTraffic {
  readonly receipts: Receipts;
  readonly #parts: Parts;
  readonly #queue: FifoQueue<WebhookMessage>;
  /** Seconds after which the running message wants to be seen again, by its request. */
  readonly #waits = new Map<Request, number>();
  /** Webhook that a run sends for. */
  readonly #webhookOf = new WeakMap<Request, number>();
  readonly #moods = new Map<string, Mood>();
  #isCalm = false;
  #isOver = false;
  #sequence = 0;

  constructor(parts: Parts) {
    const { world, draw } = parts;
    this.#parts = parts;
    this.receipts = new Receipts(world);
    this.#queue = new FifoQueue(
      {
        time: world.time,
        draw,
        conditions: { maxReceives: 5, visibility: 90_000, deduplication: 300_000, troubles: 0.03 },
      },
      (message) => this.#send(message),
    );
    const queue: QueueWebhooks = (messages) => {
      for (const { message, deduplication } of messages)
        this.#queue.send(message, { group: groupOf(message, lanes), deduplication });
      return Promise.resolve();
    };
    serveWebhooks({
      queue,
      hide: ({ request }, seconds) => void this.#waits.set(request, seconds),
      post: (invocation, posted) => this.#post(invocation, posted),
    });
    this.#sweep();
  }

  /** Number of messages that the queue gave up. */
  get givenUp(): number {
    return this.#queue.givenUp;
  }

  /** Waits until everything is sent, without further faults: some receivers are tried again after a day. */
  async settle(): Promise<void> {
    const { time } = this.#parts.world;
    this.#isCalm = true;
    const end = time.now + longestWait;
    while (time.now < end && !this.#isAllSent()) await time.sleep(sweepTime);
    this.#isOver = true;
  }

  /** True if each enabled webhook is as far as its organization. */
  #isAllSent(): boolean {
    const { organizations, database } = this.#parts.world;
    return [...organizations.values()].every((organization) => {
      return organization.numbersOf('WEBHOOK').every((number) => {
        if (!organization.record('WEBHOOK', number)?.['isEnabled']) return true;
        const cursor = database.item({ pk: `ORG#${organization.code}#CURSOR`, sk: sortable(number) });
        return Number(cursor?.['after']?.N) >= organization.version && cursor?.['leaseUntil']?.N === '0';
      });
    });
  }

  /** Passes the heads of a commit on to the dispatcher, as the stream does. */
  onCommit({ writes }: Commit): void {
    const { world, draw } = this.#parts;
    for (const { key, after } of writes) {
      if (key.sk !== 'HEAD' || !after?.['named']?.M?.['WEBHOOK']) continue;
      if (!this.#isCalm && draw.happens(lostRecords)) continue;
      const copies = !this.#isCalm && draw.happens(repeatedRecords) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const late = draw.happens(0.1) ? 5000 : 50;
        world.time.at(draw.between(0, late), () => void this.#dispatch(after));
      }
    }
  }

  /**
   * Fault of an update. In a slow episode, some writes of cursors arrive late. If some requests are delayed, the first
   * try of an answer about a lead often arrives late. The lead is then likely to be erased.
   */
  faultOf(update: object, { requestDelayed }: Record<Fault, number>): Fault | undefined {
    const { Key, UpdateExpression } = update as UpdateItemCommandInput;
    const pk = Key?.['pk']?.S ?? '';
    const { world, draw } = this.#parts;
    if (world.isSlow && !this.#isCalm && pk.endsWith('#CURSOR') && draw.happens(lateCursors))
      return 'requestDelayed';
    if (requestDelayed === 0) return undefined;
    const [, code = '', lead] = /^ORG#(\w+)#ANSWER#(\d+)$/.exec(pk) ?? [];
    const organization = world.organizations.get(code);
    if (!organization || !UpdateExpression?.includes('list_append') || !draw.happens(lateAnswers))
      return undefined;
    organization.answeredLate = organization.idOf('LEAD', Number(lead));
    return 'requestDelayed';
  }

  async #dispatch(NewImage: object): Promise<void> {
    const Keys = { sk: { S: 'HEAD' } };
    const SequenceNumber = String(++this.#sequence);
    const event = { Records: [{ eventName: 'MODIFY', dynamodb: { Keys, NewImage, SequenceNumber } }] };
    await this.#run(plainPlan('dispatchWebhooks', this.#anyOrganization), (context) =>
      functions.dispatchWebhooks(event as unknown as DynamoDBStreamEvent, context),
    );
  }

  /** Runs the sweeper each minute. */
  #sweep(): void {
    if (this.#isOver) return;
    this.#parts.world.time.at(sweepTime, () => {
      if (this.#isOver) return;
      this.#sweep();
      // The sweeper would find nothing to send.
      if (this.#isAllSent()) return;
      void this.#run(plainPlan('sweepWebhooks', this.#anyOrganization), (context) =>
        functions.sweepWebhooks({} as EventBridgeEvent<'Scheduled Event', Record<string, never>>, context),
      );
    });
  }

  async #send(message: WebhookMessage): Promise<FifoOutcome> {
    const { world } = this.#parts;
    const organization = world.organizations.get(message.organization)!;
    const plan = disabling(organization, message.webhook);
    const { request, ended } = await this.#run(plan, (context, request) => {
      this.#webhookOf.set(request, message.webhook);
      return functions.sendWebhooks(eventOf(message, request.number), context);
    });
    const wait = this.#waits.get(request);
    this.#waits.delete(request);
    if (ended.is !== 'value') return 'failed';
    return wait === undefined ? 'done' : { retryIn: wait };
  }

  get #anyOrganization(): OrganizationModel {
    const [organization] = this.#parts.world.organizations.values();
    return organization!;
  }

  /** Runs a worker in an environment, which may die. */
  async #run(
    plan: Plan,
    work: (context: Context, request: Request) => Promise<unknown>,
  ): Promise<{ request: Request; ended: Ended<unknown> }> {
    const { world, pool, awaitsOf } = this.#parts;
    const request = world.newRequest(plan);
    try {
      const environment = await pool.take();
      world.start(request, environment.skew);
      request.userId = 'system';
      const end = world.time.now + timeout;
      const context = {
        awsRequestId: `request-${request.number}`,
        getRemainingTimeInMillis: () => Math.max(0, Math.floor(end - world.time.now)),
      } as Context;
      const awaits = this.#isCalm ? Infinity : awaitsOf();
      const ended = await environment.run(request, awaits, () => work(context, request), timeout);
      pool.give(environment);
      return { request, ended };
    } finally {
      world.running.delete(request);
    }
  }

  /** Takes what a function posts, and answers as the receiver does. */
  #post(
    { environment, request }: Invocation,
    [url, headers, body]: Parameters<PostWebhook>,
  ): Promise<Posted> {
    const { world } = this.#parts;
    environment.noteAwait();
    const { organization } = request.plan;
    const webhook = this.#webhookOf.get(request) ?? 0;
    const post = { organization, webhook, since: request.version, headers, body };
    try {
      this.receipts.begin(post);
    } catch (error) {
      world.fail(error, request);
    }
    const answer = this.#answerOf(url, body);
    return new Promise((resolve) => {
      world.time.at(answer.milliseconds, () => {
        this.receipts.end(post, answer.status === 200);
        if (!environment.isDead) resolve(answer);
      });
    });
  }

  #answerOf(url: string, body: string): Posted {
    const { draw } = this.#parts;
    const mood = this.#moods.get(url) ?? { failing: 0 };
    this.#moods.set(url, mood);
    if (this.#isCalm) mood.failing = 0;
    else if (mood.failing === 0 && draw.happens(0.05)) mood.failing = draw.pick([1, 1, 2, 3]);
    const milliseconds = draw.happens(0.1) ? draw.whole(100, 4000) : draw.whole(1, 60);
    // Receivers that repeat the body that they got.
    if (mood.failing === 0) return { status: 200, milliseconds, body: body.slice(0, 1000) };
    mood.failing--;
    return draw.pick<Posted>([
      { status: 500, milliseconds, body: body.slice(0, 1000) },
      { status: 302, milliseconds, body: '' },
      { status: 429, milliseconds, body: '', retryAfter: draw.pick([1000, 10_000]) },
      { status: undefined, failure: 'TIMEOUT', milliseconds: 15_000, body: '' },
      { status: undefined, failure: 'CONNECTION', milliseconds, body: '' },
      ...(draw.happens(0.1) ? [{ status: 410, milliseconds, body: 'Gone' }] : []),
    ]);
  }
}

interface Mood {
  /** Number of further attempts that fail. */
  failing: number;
}

const timeout = 60_000;

/** Plan of a run that stores nothing in the ledger. */
const plainPlan = (operation: string, organization: OrganizationModel): Plan => ({
  operation,
  organization,
  call: { notification: {} },
});

/** Plan of a run that sends, and may disable its webhook. */
const disabling = (organization: OrganizationModel, webhook: number): Plan => ({
  ...plainPlan('sendWebhooks', organization),
  store: once((change) => {
    change.observe();
    const { isEnabled, disabledReason } = change.get('WEBHOOK', webhook) ?? {};
    if (isEnabled !== false || !['GONE', 'FAILING', 'TOKEN_ENDED'].includes(String(disabledReason)))
      throw new Refused('a sender may only disable its webhook');
  }),
});

/** Event of the queue. */
const eventOf = (message: WebhookMessage, number: number): SQSEvent =>
  ({
    Records: [
      {
        messageId: `message-${number}`,
        receiptHandle: `receipt-${number}`,
        body: JSON.stringify(message),
        attributes: { MessageGroupId: groupOf(message, lanes) },
      },
    ],
  }) as unknown as SQSEvent;
