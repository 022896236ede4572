import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import type { Breakage } from './breakages.ts';
import type { Draw } from './draw.ts';
import type { Figures } from './figures.ts';
import type { Mix } from './mix.ts';
import type { Plan } from './plan.ts';
import type { ToSend } from './plans/conversations.ts';
import { reportDelivery } from './plans/delivery-reports.ts';
import type { Pool } from './pool.ts';
import { Provider, type Handover } from './provider.ts';
import { Queue } from './queue.ts';
import type { Request } from './request.ts';
import { same } from './same.ts';
import { sendSmsTo } from './sms-handover.ts';
import { Violation } from './violation.ts';
import { carryOut, type SmsNotification } from './worker.ts';
import type { World } from './world.ts';

const { retries, on } = receiveTextsWorker;

/** Maximum number of messages that the worker processes at once. */
export const { maxConcurrency } = on.queue;

interface Parts {
  world: World;
  draw: Draw;
  mix: Mix;
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
  /** All notifications, in the order in which the topic accepted them. */
  readonly notifications: SmsNotification[] = [];
  readonly #world: World;
  readonly #queue: Queue<SmsNotification>;

  constructor({ world, draw, mix, pool, breakage, awaitsOf, figures }: Parts) {
    this.#world = world;
    this.provider = new Provider(world.time, draw, {
      troubles: mix.smsTroubles,
      report: (code, report) => {
        this.publish(reportDelivery(world.organizations.get(code)!, report));
      },
    });
    const onEnd = ({ plan }: Request, status: number) => {
      figures.countResponse(plan.operation, status);
    };
    const backend = { world, pool, awaitsOf, mayFail: mix.allowsServerErrors, onEnd };
    const conditions = { ...mix.queue, maxConcurrency, maxReceives: retries + 1 };
    this.#queue = new Queue<SmsNotification>({ time: world.time, draw, conditions }, async (one) => {
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
      const isRight = request.made.length === 1 && same(message, stored?.handover);
      if (request.handovers.length > 1 || !isRight) {
        world.fail(
          new Violation('An SMS must be handed over once, after it was stored, and unchanged', {
            expected: stored?.handover,
            observed: { handovers: request.handovers, commits: request.made },
          }),
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
