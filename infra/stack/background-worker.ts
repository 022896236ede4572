import { Duration } from 'aws-cdk-lib/core';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { MetricType, StartingPosition, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import {
  DynamoEventSource,
  SqsDlq,
  SqsEventSource,
  type SqsEventSourceProps,
} from 'aws-cdk-lib/aws-lambda-event-sources';
import { DeduplicationScope, FifoThroughputLimit, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TriggerOf, Worker } from '../../shared/contract/worker.ts';
import { namingHeadPattern } from '../../shared/ledger/index.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { workerId } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceFunction, type ServedTable, type ServiceUse } from './service-function.ts';
import { functionPrefixOf } from './resource-names.ts';
import type { Stage } from './stage.ts';
import { findTextQueue } from './text-queues.ts';
import { DeadLetters, Messages } from './worker-queue.ts';

interface Props {
  stage: Stage;
  table: ServedTable;
  logGroup: ILogGroup;
  bundle: Bundle;
  tracing: boolean;
  requireLeadingKeys: boolean;
  worker: Worker;
  /** Maximum number of invocations at once, if the worker's trigger is a FIFO queue. */
  senders: number;
  /** Undefined if the worker uses the table alone. */
  uses: ServiceUse | undefined;
}

/**
 * Function of a worker, its trigger, and the queue of its dead letters. The queues of a worker that receives texts are
 * those of the data.
 */
export class BackgroundWorker extends Construct {
  readonly worker: Worker;
  readonly functionName: string;
  readonly deadLetters: IQueue;
  /** Queue that triggers the worker. Undefined if the trigger is no queue. */
  readonly queue: IQueue | undefined;
  /** Id of the mapping that reads the stream. Undefined if the trigger is no stream. */
  readonly streamMappingId: string | undefined;

  constructor(scope: Construct, id: string, { worker, senders, ...props }: Props) {
    super(scope, id);
    const { stage } = props;
    const { on } = worker;
    this.functionName = `${functionPrefixOf(stage)}${workerId(worker)}`;
    const handler = new ServiceFunction(this, 'Function', {
      ...props,
      functionName: this.functionName,
      access: worker.access,
      worker: worker.name,
      description: `${worker.name}: ${worker.summary}`,
      timeoutSeconds: worker.timeoutSeconds,
    });
    this.worker = worker;
    this.deadLetters = findTextQueue(this, { stage, worker }, 'DeadLetters') ?? new DeadLetters(this, worker);
    if ('schedule' in on) this.#callEvery(on.schedule.everyMinutes, handler);
    else if ('stream' in on) this.streamMappingId = this.#callFromStream(on.stream, props.table, handler);
    else if ('fifoQueue' in on) this.queue = this.#callInOrder(on.fifoQueue, senders, handler);
    else this.queue = this.#callFromQueue(on.queue, stage, handler);
  }

  /**
   * Calls the handler on a schedule. An event that cannot be delivered, or that fails at every try, is a dead
   * letter.
   */
  #callEvery(minutes: number, handler: IFunction): void {
    const { deadLetters, worker } = this;
    handler.configureAsyncInvoke({
      retryAttempts: worker.retries,
      onFailure: new SqsDestination(deadLetters),
    });
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(minutes)),
      targets: [new LambdaTarget(handler, { deadLetterQueue: deadLetters })],
    });
  }

  /** Calls the handler with each message of the queue of texts, or of a new queue. Returns the queue. */
  #callFromQueue({ maxConcurrency }: TriggerOf<'queue'>['queue'], stage: Stage, handler: IFunction): IQueue {
    const { deadLetters, worker } = this;
    const queue =
      findTextQueue(this, { stage, worker }, 'Queue') ?? new Messages(this, worker, { deadLetters });
    this.#callWith(queue, handler, { maxConcurrency });
    return queue;
  }

  /**
   * Calls the handler with each message of a FIFO queue. Returns the queue. A group has one message under way.
   */
  #callInOrder(
    { visibilitySeconds }: TriggerOf<'fifoQueue'>['fifoQueue'],
    maxConcurrency: number,
    handler: IFunction,
  ): IQueue {
    const queue = new Messages(this, this.worker, {
      deadLetters: this.deadLetters,
      fifo: true,
      // Groups are independent of each other, so that each has the throughput of a queue.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
    });
    // A message that the handler wants again is no failure of its run.
    this.#callWith(queue, handler, { maxConcurrency, reportBatchItemFailures: true });
    return queue;
  }

  /** Calls the handler with one message at a time, so that a failing message does not fail others. */
  #callWith(queue: IQueue, handler: IFunction, source: SqsEventSourceProps): void {
    acknowledge(this, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A message that fails too often is moved to the queue of dead letters by its own queue.',
    });
    handler.addEventSource(new SqsEventSource(queue, { ...source, batchSize: 1 }));
  }

  /**
   * Calls the handler with the stream's new heads that name records of a collection. Returns the id of the mapping. A
   * failed batch is halved. A record that still fails is a dead letter, so that the records behind it do not wait for
   * long.
   */
  #callFromStream(
    { headsNaming }: TriggerOf<'stream'>['stream'],
    table: ServedTable,
    handler: IFunction,
  ): string {
    const { deadLetters, worker } = this;
    const source = new DynamoEventSource(table, {
      startingPosition: StartingPosition.LATEST,
      filters: [{ pattern: JSON.stringify(namingHeadPattern(headsNaming)) }],
      batchSize: 100,
      retryAttempts: worker.retries,
      bisectBatchOnError: true,
      onFailure: new SqsDlq(deadLetters),
      // Only these metrics tell a mapping that is disabled from a stream without such heads.
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    handler.addEventSource(source);
    return source.eventSourceMappingId;
  }
}
