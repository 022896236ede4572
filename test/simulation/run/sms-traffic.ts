import type { Context, SQSEvent } from 'aws-lambda';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import type { Breakage } from './breakages.ts';
import type { Draw } from './draw.ts';
import type { Pool } from './environment.ts';
import type { Conditions } from './conditions.ts';
import { functions } from './functions.ts';
import type { Plan, Request } from './plan.ts';
import { reportDelivery, type ToSend } from './plans/outgoing-sms.ts';
import { Provider, type Handover } from './provider.ts';
import { Queue } from './queue.ts';
import { sendSmsTo } from './outside.ts';
import type { Figures } from './report.ts';
import { same, type Fields } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

const { retries, on } = receiveTextsWorker;

/** Maximum number of messages that the worker processes at once. */
export const { maxConcurrency } = on.queue;

interface Parts {
  world: World;
  draw: Draw;
  conditions: Conditions;
  pool: Pool;
  breakage: Breakage | undefined;
  awaitsOf: () => number;
  figures: Figures;
}

/** Milliseconds between an operator's redrives of dead letters. */
const redriveTime = 1000;

/** Outgoing and incoming SMS of an episode, with the provider, the topic, the queue and the worker. */
export class SmsTraffic {
  readonly provider: Provider;
  /** All notifications, in the order of their acceptance by the topic. */
  readonly notifications: SmsNotification[] = [];
  readonly #world: World;
  readonly #queue: Queue<SmsNotification>;

  constructor({ world, draw, conditions, pool, breakage, awaitsOf, figures }: Parts) {
    this.#world = world;
    this.provider = new Provider(world.time, draw, {
      troubles: conditions.smsTroubles,
      report: (code, report) => {
        this.publish(reportDelivery(world.organizations.get(code)!, report));
      },
    });
    const onEnd = ({ plan }: Request, status: number) => {
      figures.countResponse(plan.operation, status);
    };
    const backend = { world, pool, awaitsOf, mayFail: conditions.allowsServerErrors, onEnd };
    const ofQueue = { ...conditions.queue, maxConcurrency, maxReceives: retries + 1 };
    this.#queue = new Queue<SmsNotification>({ time: world.time, draw, conditions: ofQueue }, async (one) => {
      const isDone = await carryOut(backend, one);
      return isDone || breakage === 'early-removal';
    });
    this.#takeSms();
  }

  /** True if the provider and the queue have nothing left. */
  get isDone(): boolean {
    return this.provider.isIdle && this.#queue.isEmpty;
  }

  /** Statistics of the queue. */
  get stats(): Queue<SmsNotification>['stats'] {
    return this.#queue.stats;
  }

  /** Publishes a notification of the provider to the topic. */
  publish(plan: Plan): void {
    const { time } = this.#world;
    if (!('notification' in plan.call)) throw new Error('Only a notification can be published');
    const { notification } = plan.call;
    const one = { plan, notification, at: new Date(Math.floor(time.now)).toISOString() };
    this.notifications.push(one);
    this.#queue.publish(one);
  }

  /** Redrives dead letters from now on, until none are left. */
  redrive(): void {
    if (this.isDone) return;
    this.#queue.redrive();
    this.#world.time.at(redriveTime, () => {
      this.redrive();
    });
  }

  /** Passes handed over SMS to the provider. Checks that each was stored before. */
  #takeSms(): void {
    const world = this.#world;
    sendSmsTo(({ environment, request }, message) => {
      environment.noteAwait();
      const handover: Handover = { ...message, at: world.time.now, outcome: undefined };
      request.handovers.push(handover);
      const stored = request.made[0]?.response as Partial<ToSend> | undefined;
      const { text, from: _, ...receiver } = message;
      // The text of a reply to nobody's number is not stored.
      const given = { ...receiver, text: stored?.sent ? text : '' };
      const isRight = request.made.length === 1 && same(given, stored?.handover);
      if (request.handovers.length > 1 || !isRight) {
        world.fail(
          new Violation(
            'An SMS must be handed over once, after it was stored, and unchanged',
            stored?.handover,
            { handovers: request.handovers, commits: request.made },
          ),
          request,
        );
      }
      return new Promise((resolve) => {
        this.provider.take(handover, (outcome) => {
          if (!environment.isDead) resolve(outcome);
        });
      });
    });
  }
}

/** A notification of the SMS provider, as the topic accepted it. */
export interface SmsNotification {
  plan: Plan;
  /** Content of the topic's envelope. */
  notification: Fields;
  /** Time at which the topic accepted it, in the API's format. */
  at: string;
}

/** Dependencies of the worker. */
interface Backend {
  world: World;
  pool: Pool;
  /** Number of awaits that the next invocation survives. */
  awaitsOf: () => number;
  /** True if faults or deaths explain that an invocation fails. */
  mayFail: boolean;
  onEnd: (request: Request, status: number) => void;
}

/** Runs the worker on a notification. Returns true if it is done. A violation goes to `world.violation`. */
async function carryOut(backend: Backend, received: SmsNotification): Promise<boolean> {
  const { world, pool, awaitsOf, onEnd } = backend;
  const request = world.newRequest(received.plan);
  request.publishedAt = received.at;
  try {
    const environment = await pool.take();
    world.start(request, environment.skew);
    request.userId = 'system';
    const timeout = receiveTextsWorker.timeoutSeconds * 1000;
    const end = world.time.now + timeout;
    const context = {
      awsRequestId: `request-${request.number}`,
      getRemainingTimeInMillis: () => Math.max(0, Math.floor(end - world.time.now)),
    } as Context;
    const work = () => functions.receiveTexts(eventOf(received, request.number), context);
    const { is } = await environment.run(request, awaitsOf(), work, timeout);
    pool.give(environment);
    onEnd(request, is === 'value' ? 200 : 500);
    if (is === 'value') checkDone(world, request);
    else if (!backend.mayFail && !received.plan.canFail?.(world.windowOf(request))) {
      throw new Violation('Without faults, the worker must process every notification', 'no error', {
        is,
        log: request.log,
      });
    }
    return is === 'value';
  } catch (error) {
    world.fail(error, request);
    return true;
  } finally {
    world.running.delete(request);
  }
}

/** Checks that a finished notification is stored, and that no work remains. @throws Violation */
function checkDone(world: World, request: Request): void {
  const { plan, made, handovers, publishedAt } = request;
  const may = () => true;
  plan.check?.(undefined, world.windowOf(request), {
    made,
    handovers,
    publishedAt,
    status: 200,
    headers: {},
    may,
    mayFail: true,
  });
}

/** Event of the queue, which wraps the topic's envelope. */
function eventOf({ notification, at }: SmsNotification, number: number): SQSEvent {
  const body = JSON.stringify({
    Type: 'Notification',
    MessageId: `notification-${number}`,
    TopicArn: 'arn:aws:sns:us-east-1:000000000000:texts',
    Message: JSON.stringify(notification),
    Timestamp: at,
  });
  return { Records: [{ messageId: `message-${number}`, body }] } as unknown as SQSEvent;
}
