import type { Context, DynamoDBStreamEvent, EventBridgeEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Trigger, TriggerOf, Worker } from '../contract/worker.ts';
import { newConsumedCapacity, type ConsumedCapacity, type Reach } from '../ledger/index.ts';
import type { SentAttempt } from '../domain/sending/send-webhooks.ts';
import { deadlineOf } from './principal.ts';
import { log, type LogLine } from './log.ts';
import { system } from './outside/system.ts';
import type { HideMessage } from './clients/webhook-queue.ts';

/** Event with which each kind of trigger calls a worker. */
interface Events {
  schedule: EventBridgeEvent<'Scheduled Event', Record<string, never>>;
  queue: SQSEvent;
  fifoQueue: SQSEvent;
  stream: DynamoDBStreamEvent;
}

type EventOf<T extends Trigger> = Events[keyof T & keyof Events];

/** Handles one event of a worker. Returns the number of processed items, for the log. */
type WorkHandler<W extends Worker> = (run: Run<W>) => Promise<number>;

/** A run of a worker. */
interface Run<W extends Worker> {
  event: EventOf<W['on']>;
  /** Reach of the worker, for its callers. */
  reach: Reach;
  /** Time until which the worker may begin calls, in epoch milliseconds. */
  deadline: number;
  capacity: ConsumedCapacity;
  /** Records an error of one item. The handler can go on with other items, and the run fails at the end. */
  report: (error: unknown) => void;
  /**
   * Records the outcome of an SMS for the log line: `SENT`, or the reason why it was not sent, with the cause.
   * An SMS that was not sent does not fail the run: an SMS is never sent again.
   */
  reportSms: (outcome: string, cause?: Error) => void;
  /** Adds one to a metric of webhooks. */
  count: (metric: WebhookMetric) => void;
  /** Adds an attempt to the log line. */
  attempted: (attempt: SentAttempt) => void;
}

/** Metric that workers of webhooks count. */
type WebhookMetric = (typeof webhookMetrics)[number];
const webhookMetrics = ['deliveries', 'failedAttempts', 'disabledWebhooks'] as const;

const emitted = ['readUnits', 'writeUnits', 'transactions', 'writes', 'texts', ...webhookMetrics] as const;

/**
 * The Lambda handler of a worker. Writes one line of log. Fails if the handler throws or reports an error, so
 * that Lambda retries the event. A worker must therefore be idempotent.
 */
export function work<W extends Worker>({ name, access }: W, handler: WorkHandler<W>) {
  const reach = { access, worker: name };
  return async (event: EventOf<W['on']>, context: Context): Promise<void> => {
    const startedAt = system.now();
    const capacity = newConsumedCapacity();
    const reported: unknown[] = [];
    let done: number | undefined;
    let noted: Pick<LogLine, 'texts' | 'text' | 'error'> = {};
    const counted: Partial<Record<WebhookMetric, number>> = {};
    const attempts: SentAttempt[] = [];
    let failure: { error: unknown } | undefined;
    try {
      const report = (error: unknown) => void reported.push(error);
      const reportSms = (outcome: string, cause?: Error) => {
        const error = cause && new AggregateError([cause], 'A text was not sent');
        noted = { texts: 1, text: outcome, ...(error && { error }) };
      };
      const count = (metric: WebhookMetric) => (counted[metric] = (counted[metric] ?? 0) + 1);
      const attempted = (attempt: SentAttempt) => void attempts.push(attempt);
      const deadline = deadlineOf(context);
      done = await handler({ event, reach, deadline, capacity, report, reportSms, count, attempted });
      if (reported.length > 0) throw new AggregateError(reported, 'Not all went well');
    } catch (error) {
      failure = { error };
    }
    const { awsRequestId: requestId } = context;
    const milliseconds = system.now() - startedAt;
    const status = failure ? 500 : 200;
    const line = { requestId, operation: name, status, milliseconds, capacity, done };
    const more = { ...counted, ...(attempts.length > 0 && { attempts }), ...noted, ...failure };
    log({ ...line, ...more }, emitted);
    // Not the error itself: Lambda logs every field of a thrown error, and the AWS SDK's errors hold whole records.
    if (failure) throw new Error('The run failed: its line of log says why');
  };
}

type OrderedWorker = Worker & { on: TriggerOf<'fifoQueue'> };

/**
 * The Lambda handler of a worker on a FIFO queue. Its handler may call `retryIn`: the message then stays in the queue,
 * and a function receives it after so many seconds. The run does not count as failed.
 */
export function workInOrder(
  worker: OrderedWorker,
  handler: (run: Run<OrderedWorker> & { retryIn: (seconds: number) => void }) => Promise<number>,
  hide: HideMessage,
) {
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    let wait: number | undefined;
    const retryIn = (seconds: number) => (wait = seconds);
    await work(worker, async (run) => {
      const done = await handler({ ...run, retryIn });
      if (wait !== undefined) for (const message of event.Records) await hide(message, wait);
      return done;
    })(event, context);
    const left = wait === undefined ? [] : event.Records;
    return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
