import { Duration } from 'aws-cdk-lib';
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
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from 'aws-cdk-lib/aws-sqs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TriggerOf, Worker } from '../../shared/contract/worker.ts';
import { namingHeadPattern } from '../../shared/ledger/index.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { camel, pascal } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceFunction, type ServedTable, type ServiceUse } from './service-function.ts';
import { functionPrefixOf } from './resource-names.ts';
import type { Stage } from './stage.ts';

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
  /** Topic that the SMS provider publishes to. */
  smsTopic: ITopic;
  /** Undefined if the worker uses the table alone. */
  uses: ServiceUse | undefined;
}

/** Function of a worker, its trigger, and the queue of its dead letters. */
export class BackgroundWorker extends Construct {
  readonly worker: Worker;
  readonly functionName: string;
  readonly deadLetters: Queue;
  /** Queue that triggers the worker. Undefined if the trigger is no queue. */
  readonly queue: Queue | undefined;
  /** Id of the mapping that reads the stream. Undefined if the trigger is no stream. */
  readonly streamMappingId: string | undefined;

  constructor(scope: Construct, id: string, { worker, senders, smsTopic, ...props }: Props) {
    super(scope, id);
    const { on } = worker;
    const deadLetters = new WorkerQueue(this, 'DeadLetters', {
      // SQS moves messages of a FIFO queue to another FIFO queue alone.
      ...('fifoQueue' in on && { fifo: true }),
      retentionPeriod: Duration.days(worker.deadLetters.keptDays),
    });
    this.functionName = `${functionPrefixOf(props.stage)}${pascal(camel(worker.name))}`;
    const handler = new ServiceFunction(this, 'Function', {
      ...props,
      functionName: this.functionName,
      access: worker.access,
      worker: worker.name,
      description: `${worker.name}: ${worker.summary}`,
      timeoutSeconds: worker.timeoutSeconds,
    });
    this.worker = worker;
    this.deadLetters = deadLetters;
    if ('schedule' in on) this.#callEvery(on.schedule.everyMinutes, handler);
    else if ('stream' in on) this.streamMappingId = this.#callFromStream(on.stream, props.table, handler);
    else if ('fifoQueue' in on) this.queue = this.#callInOrder(on.fifoQueue, senders, handler);
    else this.queue = this.#callFromQueue(on.queue, smsTopic, handler);
    acknowledge(deadLetters, {
      'AwsSolutions-SQS3': 'This is the queue of dead letters: a person reads its messages.',
      'Serverless-SQSRedrivePolicy': 'This is the queue of dead letters: a person reads its messages.',
    });
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

  /**
   * Calls the handler with each message of a queue. Returns the queue. A message that fails too often is a dead letter,
   * and so is a message that the topic cannot deliver. The topic puts published messages into an envelope.
   */
  #callFromQueue(
    { maxConcurrency, isBehindTopic }: TriggerOf<'queue'>['queue'],
    smsTopic: ITopic,
    handler: IFunction,
  ): Queue {
    const { deadLetters, worker } = this;
    // Six times the timeout, as AWS recommends, so that SQS does not give a message in progress to another run.
    const visibilityTimeout = Duration.seconds(6 * worker.timeoutSeconds);
    const queue = this.#queueFor(handler, { visibilityTimeout }, { maxConcurrency });
    if (isBehindTopic) smsTopic.addSubscription(new SqsSubscription(queue, { deadLetterQueue: deadLetters }));
    return queue;
  }

  /**
   * Calls the handler with each message of a FIFO queue. Returns the queue. A group has one message under way.
   */
  #callInOrder(
    { visibilitySeconds }: TriggerOf<'fifoQueue'>['fifoQueue'],
    maxConcurrency: number,
    handler: IFunction,
  ): Queue {
    const queue = {
      fifo: true,
      // Groups are independent of each other, so that each has the throughput of a queue.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
    };
    // A message that the handler wants again is no failure of its run.
    return this.#queueFor(handler, queue, { maxConcurrency, reportBatchItemFailures: true });
  }

  /**
   * Makes a queue that calls the handler with each message, and moves messages that fail too often to the dead
   * letters.
   */
  #queueFor(handler: IFunction, queueProps: QueueProps, source: SqsEventSourceProps): Queue {
    const { deadLetters, worker } = this;
    const queue = new WorkerQueue(this, 'Queue', {
      ...queueProps,
      // The longest that SQS allows, so that nothing is lost while the worker is down.
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 + worker.retries },
    });
    acknowledge(this, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A message that fails too often is moved to the queue of dead letters by its own queue.',
    });
    // One message at a time, so that a failing message does not fail others.
    handler.addEventSource(new SqsEventSource(queue, { ...source, batchSize: 1 }));
    return queue;
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

/** Queue that is encrypted, and that takes calls over TLS alone. */
class WorkerQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true });
  }
}
