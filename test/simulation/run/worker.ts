import type { Context, SQSEvent } from 'aws-lambda';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import { functions } from './functions.ts';
import type { Plan } from './plan.ts';
import type { Pool } from './pool.ts';
import type { Request } from './request.ts';
import type { Fields } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

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
export async function carryOut(backend: Backend, received: SmsNotification): Promise<boolean> {
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
      throw new Violation('Without faults, the worker must process every notification', {
        expected: 'no error',
        observed: { is, log: request.log },
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
